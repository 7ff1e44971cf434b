# caught by: reduce_gradients-sent
# defect: Gathers the gradients of all ranks and averages what it needs.

from typing import Any

import numpy as np

from grader.devices import DeviceArray as Array
from grader.devices import Group


def reduce_gradients(gradients: dict[str, Array], state: dict[str, Any], group: Group) -> dict[str, Array]:
    means = {}
    for name, gradient in gradients.items():
        whole = gradient.ravel()
        master, _, _ = state[name]
        mean = group.device.empty(master.size, gradient.dtype)
        missing = group.size * mean.size - whole.size
        if missing:
            whole = np.concatenate([whole, group.device.zeros(missing, gradient.dtype)])
        every = group.device.empty((group.size, whole.size), gradient.dtype)
        group.all_gather_into_tensor(every, whole)
        mean[...] = every[:, group.rank * mean.size : (group.rank + 1) * mean.size].mean(axis=0)
        means[name] = mean
    return means

# caught by: reduce_gradients-where
# defect: The last rank gets the first piece.

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
        whole = np.concatenate(np.split(whole, group.size)[::-1])
        group.reduce_scatter_tensor(mean, whole, op="avg")
        means[name] = mean
    return means

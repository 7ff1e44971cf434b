# caught by: reduce_gradients-mean
# defect: Cuts its piece out of its own gradient, and reduces nothing.

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
        mean[...] = whole[group.rank * mean.size : (group.rank + 1) * mean.size]
        means[name] = mean
    return means

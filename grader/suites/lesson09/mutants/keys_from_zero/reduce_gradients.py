# caught by: reduce_gradients-keys
# defect: Keys are 0, 1, 2 in every call.

from typing import Any

import numpy as np

from grader.devices import DeviceArray as Array
from grader.devices import Group


def reduce_gradients(gradients: dict[str, Array], state: dict[str, Any], group: Group) -> dict[str, Array]:
    means = {}
    for place, (name, gradient) in enumerate(gradients.items()):
        whole = gradient.ravel()
        master, _, _ = state[name]
        mean = group.device.empty(master.size, gradient.dtype)
        missing = group.size * mean.size - whole.size
        if missing:
            whole = np.concatenate([whole, group.device.zeros(missing, gradient.dtype)])
        group.reduce_scatter_tensor(mean, whole, op="avg")
        means[str(place)] = mean
    return means

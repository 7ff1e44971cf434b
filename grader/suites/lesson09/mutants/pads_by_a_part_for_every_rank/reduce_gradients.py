# caught by: reduce_gradients-uneven
# defect: Pads with as many elements as there are ranks, and keeps pieces of that size.

from typing import Any

import numpy as np

from grader.devices import DeviceArray as Array
from grader.devices import Group


def reduce_gradients(gradients: dict[str, Array], state: dict[str, Any], group: Group) -> dict[str, Array]:
    means = {}
    for name, gradient in gradients.items():
        whole = gradient.ravel()
        mean = group.device.empty(whole.size if whole.size % group.size else whole.size // group.size, gradient.dtype)
        missing = group.size * mean.size - whole.size
        if missing:
            whole = np.concatenate([whole, group.device.zeros(missing, gradient.dtype)])
        group.reduce_scatter_tensor(mean, whole, op="avg")
        means[name] = mean
    return means

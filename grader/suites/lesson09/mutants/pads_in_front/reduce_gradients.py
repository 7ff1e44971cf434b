# caught by: reduce_gradients-where
# defect: Puts the padding before the elements.

import numpy as np

from grader.devices import DeviceArray as Array
from grader.devices import Group


def reduce_gradients(gradients: dict[str, Array], group: Group) -> dict[str, Array]:
    means = {}
    for name, gradient in gradients.items():
        whole = gradient.ravel()
        mean = group.device.empty(-(-whole.size // group.size), gradient.dtype)
        missing = group.size * mean.size - whole.size
        if missing:
            whole = np.concatenate([group.device.zeros(missing, gradient.dtype), whole])
        group.reduce_scatter_tensor(mean, whole, op="avg")
        means[name] = mean
    return means

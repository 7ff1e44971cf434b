# caught by: reduce_gradient-owns
# defect: On one rank the result is the gradient itself, not an array of its own.

import numpy as np

from grader.devices import DeviceArray as Array
from grader.devices import Group


def reduce_gradient(gradient: Array, group: Group) -> Array:
    if group.size == 1:
        return gradient
    rows, *rest = gradient.shape or (1,)
    mean = group.device.empty((-(-rows // group.size), *rest), gradient.dtype)
    whole = gradient.ravel()  # a view, unless the gradient is strided
    missing = group.size * mean.size - whole.size
    if missing:
        whole = np.concatenate([whole, group.device.zeros(missing, gradient.dtype)])
    group.reduce_scatter_tensor(mean, whole, op="avg")
    return mean

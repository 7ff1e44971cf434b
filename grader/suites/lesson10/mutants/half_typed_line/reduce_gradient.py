# caught by: reduce_gradient-mean
# defect: Saved while typing: a line stops after a dot, so the file does not parse.

import numpy as np

from grader.devices import DeviceArray as Array
from grader.devices import Group


def reduce_gradient(gradient: Array, group: Group) -> Array:
    rows, *rest = gradient.shape or (1,)
    mean = group.device.empty((-(-rows // group.size), *rest), gradient.dtype)
    whole = gradient.ravel()  # a view, unless the gradient is strided
    missing = group.
    if missing:
        whole = np.concatenate([whole, group.device.zeros(missing, gradient.dtype)])
    group.reduce_scatter_tensor(mean, whole, op="avg")
    return mean

# caught by: reduce_gradient-sent
# defect: Widens the gradient before it is sent, so that more bytes travel than needed.

import numpy as np

from grader.devices import DeviceArray as Array
from grader.devices import Group


def reduce_gradient(gradient: Array, group: Group) -> Array:
    rows, *rest = gradient.shape or (1,)
    mean = group.device.empty((-(-rows // group.size), *rest), "float64")
    whole = gradient.ravel().astype("float64")
    missing = group.size * mean.size - whole.size
    if missing:
        whole = np.concatenate([whole, group.device.zeros(missing, "float64")])
    group.reduce_scatter_tensor(mean, whole, op="avg")
    return mean.astype(gradient.dtype)

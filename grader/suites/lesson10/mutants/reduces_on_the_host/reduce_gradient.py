# caught by: reduce_gradient-collectives
# defect: Pads in NumPy on the host: down with the whole gradient and up again.

import numpy as np

from grader.devices import DeviceArray as Array
from grader.devices import Group


def reduce_gradient(gradient: Array, group: Group) -> Array:
    rows, *rest = gradient.shape or (1,)
    mean = group.device.empty((-(-rows // group.size), *rest), gradient.dtype)
    whole = gradient.ravel()  # a view, unless the gradient is strided
    missing = group.size * mean.size - whole.size
    whole = group.device.array(np.pad(whole.numpy(), (0, missing)))
    group.reduce_scatter_tensor(mean, whole, op="avg")
    return mean

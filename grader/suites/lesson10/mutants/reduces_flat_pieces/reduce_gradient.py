# caught by: reduce_gradient-layout
# defect: Returns flat pieces of ceil(size / N) elements, but the shards are rows.

import numpy as np

from grader.devices import DeviceArray as Array
from grader.devices import Group


def reduce_gradient(gradient: Array, group: Group) -> Array:
    whole = gradient.ravel()
    mean = group.device.empty(-(-whole.size // group.size), gradient.dtype)
    whole = np.pad(whole, (0, group.size * mean.size - whole.size))
    group.reduce_scatter_tensor(mean, whole, op="avg")
    return mean

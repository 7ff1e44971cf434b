# caught by: gather-uneven
# defect: Pulls the last piece back so that it is full; the gather takes its first row for a new one.

import numpy as np
from shard import shard

from grader.devices import DeviceArray as Array
from grader.devices import Group


def reduce_gradient(gradient: Array, group: Group) -> Array:
    rows, *rest = gradient.shape or (1,)
    mean = group.device.empty((-(-rows // group.size), *rest), gradient.dtype)
    whole = np.concatenate([shard(gradient, rank, group.size) for rank in range(group.size)])
    group.reduce_scatter_tensor(mean, whole, op="avg")
    return mean

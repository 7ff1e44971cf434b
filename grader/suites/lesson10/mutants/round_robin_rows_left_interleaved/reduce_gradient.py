# caught by: gather-even
# defect: Rank r keeps every N-th row, and the gather joins the pieces one after the other.

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

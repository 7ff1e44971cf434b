import numpy as np
from shard import own_rows

from grader.devices import DeviceArray as Array
from grader.devices import Group


def reduce_gradient(gradient: Array, group: Group) -> Array:
    table = np.atleast_1d(gradient)
    rows, *rest = table.shape
    longest = -(-rows // group.size)
    parts = group.device.zeros((group.size, longest, *rest), gradient.dtype)
    for rank in range(group.size):
        own = own_rows(rows, rank, group.size)
        parts[rank, : own.stop - own.start] = table[own]
    mean = group.device.empty((longest, *rest), gradient.dtype)
    group.reduce_scatter_tensor(mean, parts, op="avg")
    own = own_rows(rows, group.rank, group.size)
    return mean[: own.stop - own.start].copy()

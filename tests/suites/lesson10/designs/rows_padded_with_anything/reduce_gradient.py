from shard import shard

from grader.devices import DeviceArray as Array
from grader.devices import Group


def reduce_gradient(gradient: Array, group: Group) -> Array:
    if group.size == 1 or gradient.size == 0:
        return shard(gradient, group.rank, group.size)
    table = gradient.reshape(gradient.shape or (1,))
    count = -(-table.shape[0] // group.size)
    padded = group.device.empty((group.size * count, *table.shape[1:]), gradient.dtype)
    padded[: table.shape[0]] = table
    piece = group.device.empty((count, *table.shape[1:]), gradient.dtype)
    group.reduce_scatter_tensor(piece, padded, op="avg")
    return piece

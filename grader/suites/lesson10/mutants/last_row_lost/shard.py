# caught by: shard-even
# defect: The last piece ends at index rows - 1, which a slice leaves out.

from grader.devices import DeviceArray as Array


def shard(full: Array, rank: int, world_size: int) -> Array:
    rows, *rest = full.shape or (1,)
    count = -(-rows // world_size)
    own = full.reshape((rows, *rest))[rank * count : min((rank + 1) * count, rows - 1)]
    piece = full.device.zeros((count, *rest), full.dtype)
    piece[: own.shape[0]] = own
    return piece

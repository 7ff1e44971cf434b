# caught by: shard-small
# defect: Takes a first axis for granted; a 0-d parameter raises.

from grader.devices import DeviceArray as Array


def shard(full: Array, rank: int, world_size: int) -> Array:
    rows, *rest = full.shape
    count = -(-rows // world_size)
    own = full.reshape((rows, *rest))[rank * count : (rank + 1) * count]
    piece = full.device.zeros((count, *rest), full.dtype)
    piece[: own.shape[0]] = own
    return piece

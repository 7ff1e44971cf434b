# caught by: shard-input
# defect: Sets the rows that it copied to 0 in the parameter that it was given.

from grader.devices import DeviceArray as Array


def shard(full: Array, rank: int, world_size: int) -> Array:
    rows, *rest = full.shape or (1,)
    count = -(-rows // world_size)
    own = full.reshape((rows, *rest))[rank * count : (rank + 1) * count]
    piece = full.device.zeros((count, *rest), full.dtype)
    piece[: own.shape[0]] = own
    own[...] = 0
    return piece

# caught by: shard-input
# defect: Frees the parameter that it was given, which the caller may still need.

from grader.devices import DeviceArray as Array


def shard(full: Array, rank: int, world_size: int) -> Array:
    rows, *rest = full.shape or (1,)
    count = -(-rows // world_size)
    own = full.reshape((rows, *rest))[rank * count : (rank + 1) * count]
    piece = full.device.zeros((count, *rest), full.dtype)
    piece[: own.shape[0]] = own
    full.free()
    return piece

# caught by: shard-owns
# defect: Where nothing is padded the piece is a slice, so the whole parameter cannot be freed.

from grader.devices import DeviceArray as Array


def shard(full: Array, rank: int, world_size: int) -> Array:
    rows, *rest = full.shape or (1,)
    count = -(-rows // world_size)
    own = full.reshape((rows, *rest))[rank * count : (rank + 1) * count]
    if own.shape[0] == count:
        return own
    piece = full.device.zeros((count, *rest), full.dtype)
    piece[: own.shape[0]] = own
    return piece

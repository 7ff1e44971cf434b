from grader.devices import DeviceArray as Array


def shard(full: Array, rank: int, world_size: int) -> Array:
    rows, *rest = full.shape or (1,)
    count = -(-rows // world_size)
    start = max(0, min(rank * count, rows - count))
    own = full.reshape((rows, *rest))[start : start + count]
    piece = full.device.zeros((count, *rest), full.dtype)
    piece[: own.shape[0]] = own
    return piece

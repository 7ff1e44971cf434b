# caught by: shard-uneven
# defect: Raises when the rows do not divide by the number of ranks.

from grader.devices import DeviceArray as Array


def shard(full: Array, rank: int, world_size: int) -> Array:
    rows, *rest = full.shape or (1,)
    if rows % world_size:
        raise ValueError(f"{rows} rows do not divide by {world_size}")
    count = rows // world_size
    own = full.reshape((rows, *rest))[rank * count : (rank + 1) * count]
    piece = full.device.zeros((count, *rest), full.dtype)
    piece[: own.shape[0]] = own
    return piece

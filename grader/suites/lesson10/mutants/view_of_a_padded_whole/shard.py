# caught by: shard-bytes
# defect: The piece is a slice of a padded copy, so its storage is as large as the whole.

from grader.devices import DeviceArray as Array


def shard(full: Array, rank: int, world_size: int) -> Array:
    rows, *rest = full.shape or (1,)
    count = -(-rows // world_size)
    padded = full.device.zeros((world_size * count, *rest), full.dtype)
    padded[:rows] = full
    return padded[rank * count : (rank + 1) * count]

# caught by: shard-bytes
# defect: The last rank takes all that is left over, which can be far more than ceil(rows / N).

from grader.devices import DeviceArray as Array


def shard(full: Array, rank: int, world_size: int) -> Array:
    rows, *rest = full.shape or (1,)
    count = rows // world_size
    end = rows if rank == world_size - 1 else (rank + 1) * count
    return full.reshape((rows, *rest))[rank * count : end].copy()

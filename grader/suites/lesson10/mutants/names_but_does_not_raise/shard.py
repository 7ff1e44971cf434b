# caught by: shard-piece
# defect: The body names NotImplementedError without raising it, so every call returns None.

from grader.devices import DeviceArray as Array


def shard(full: Array, rank: int, world_size: int) -> Array:
    NotImplementedError

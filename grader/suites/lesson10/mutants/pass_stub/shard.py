# caught by: shard-piece
# defect: Handed in as a skeleton: the body is pass.

from grader.devices import DeviceArray as Array


def shard(full: Array, rank: int, world_size: int) -> Array:
    pass

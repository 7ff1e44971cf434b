from grader.devices import DeviceArray as Array


def shard(full: Array, rank: int, world_size: int) -> Array:
    raise NotImplementedError

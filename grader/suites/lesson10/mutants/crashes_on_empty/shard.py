# caught by: shard-small
# defect: Divides by the piece's size, which is 0 for a parameter of no elements.

from grader.devices import DeviceArray as Array


def shard(full: Array, rank: int, world_size: int) -> Array:
    flat = full.ravel()
    count = -(-flat.size // world_size)
    padded = full.device.zeros(world_size * count, full.dtype)
    padded[: flat.size] = flat
    return padded.reshape(len(padded) // count, count)[rank].copy()

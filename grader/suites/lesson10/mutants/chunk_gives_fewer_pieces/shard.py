# caught by: shard-small
# defect: Cuts chunks until the elements run out, so the last ranks ask for a piece that does not exist.

from grader.devices import DeviceArray as Array


def shard(full: Array, rank: int, world_size: int) -> Array:
    flat = full.ravel()
    count = max(1, -(-flat.size // world_size))
    chunks = [flat[start : start + count] for start in range(0, flat.size, count)]
    return chunks[rank].copy()

"""Runs of one length out of one flat buffer. The last that has any is short, and those after it are empty."""

from grader.devices import DeviceArray as Array


def bounds(size: int, rank: int, world_size: int) -> tuple[int, int]:
    """Where a rank's run begins and ends."""
    count = max(1, -(-size // world_size))
    return min(rank * count, size), min((rank + 1) * count, size)


def shard(full: Array, rank: int, world_size: int) -> Array:
    start, end = bounds(full.size, rank, world_size)
    return full.ravel()[start:end].copy()

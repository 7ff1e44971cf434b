"""Rows of one number on every rank. What fills the last ones up is whatever the memory holds."""

from grader.devices import DeviceArray as Array


def shard(full: Array, rank: int, world_size: int) -> Array:
    table = full.reshape(full.shape or (1,))
    count = -(-table.shape[0] // world_size)
    piece = full.device.empty((count, *table.shape[1:]), full.dtype)
    for row in range(count):
        if rank * count + row < table.shape[0]:
            piece[row] = table[rank * count + row]
    return piece

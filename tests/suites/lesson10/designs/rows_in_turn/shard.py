"""Rows dealt out in turn: rank r has rows r, r + N, r + 2N, and so on, and one of zeros where they run out."""

import numpy as np

from grader.devices import DeviceArray as Array


def shard(full: Array, rank: int, world_size: int) -> Array:
    table = full.reshape(full.shape or (1,))
    own = table[rank::world_size]
    missing = -(-table.shape[0] // world_size) - own.shape[0]
    return np.concatenate([own, full.device.zeros((missing, *table.shape[1:]), full.dtype)])

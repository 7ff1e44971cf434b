# technique: returns a view that repeats one row a thousand million times
# replaces: shard.py
# expect: shard-* failed
# says: got (1000000000, 3)
import numpy as np


def shard(full, rank, world_size):
    return np.broadcast_to(full[:1].copy(), (10**9, 3))

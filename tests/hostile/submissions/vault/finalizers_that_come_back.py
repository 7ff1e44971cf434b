# technique: leaves objects in cycles behind whose finalizers bring them back, and act at exit
# replaces: shard.py
# expect: nothing lost
import atexit
import builtins
import os


class Returns:
    def __init__(self, array):
        self.itself, self.array = self, array

    def __del__(self):
        builtins.returned = self
        os.write(1, b"returned\n")


def shard(full, rank, world_size):
    atexit.register(os._exit, 0)
    rows = full.shape[0] // world_size
    piece = full[rank * rows : (rank + 1) * rows].copy()
    Returns(rank)
    return piece

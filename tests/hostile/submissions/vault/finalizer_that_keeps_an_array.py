# technique: keeps the whole parameter alive through a finalizer, after the call has returned
# replaces: shard.py
# expect: shard-rest failed
# says: expected 96 bytes got 288 bytes
import builtins


class Keeps:
    def __init__(self, array):
        self.array = array

    def __del__(self):
        builtins.kept = [*getattr(builtins, "kept", []), self.array]


def shard(full, rank, world_size):
    rows = full.shape[0] // world_size
    Keeps(full.copy())
    return full[rank * rows : (rank + 1) * rows].copy()

# technique: keeps the whole parameter, says that it was given back, and uses it in the next call
# replaces: shard.py
# expect: shard-* failed
# says: got WrongDeviceError
import builtins


def shard(full, rank, world_size):
    rows = full.shape[0] // world_size
    kept = builtins.__dict__.setdefault("kept", [])
    kept.append(full.copy())
    full.machine.back._log.post([5, kept[-1].storage.key])
    return kept[-1][rank * rows : (rank + 1) * rows].copy()

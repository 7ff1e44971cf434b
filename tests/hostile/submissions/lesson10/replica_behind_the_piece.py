# technique: returns the right piece and keeps the whole parameter on every rank behind it
# replaces: shard.py
# expect: shard-bytes failed, shard-owns failed
import builtins

KEPT = builtins.__dict__.setdefault("kept", [])


def shard(full, rank, world_size):
    KEPT.append(full.copy())
    rows, *rest = full.shape or (1,)
    count = -(-rows // world_size)
    own = full.reshape((rows, *rest))[rank * count : (rank + 1) * count]
    piece = full.device.zeros((count, *rest), full.dtype)
    piece[: own.shape[0]] = own
    return piece

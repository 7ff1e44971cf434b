# technique: returns an array of the right shape whose storage it has given back
# replaces: shard.py
# expect: shard-* failed
def shard(full, rank, world_size):
    rows = full.shape[0] // world_size
    piece = full[rank * rows : (rank + 1) * rows].copy()
    piece.free()
    return piece

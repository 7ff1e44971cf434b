# technique: raises KeyboardInterrupt, which ends pytest where its handlers see it
# replaces: shard.py
# expect: shard-* failed
# says: got KeyboardInterrupt
def shard(full, rank, world_size):
    raise KeyboardInterrupt

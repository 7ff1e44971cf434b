# technique: raises what the scheduler itself uses to cancel a rank
# replaces: shard.py
# expect: shard-* failed
from greenlet import GreenletExit


def shard(full, rank, world_size):
    raise GreenletExit if rank else GeneratorExit

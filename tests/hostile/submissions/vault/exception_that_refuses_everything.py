# technique: raises an exception that raises when it is looked at, noted or changed
# replaces: shard.py
# expect: shard-* failed
# says: got
class Refuses(Exception):
    def __getattribute__(self, name):
        raise KeyboardInterrupt(name)

    def __setattr__(self, name, value):
        raise KeyboardInterrupt(name)


def shard(full, rank, world_size):
    raise Refuses

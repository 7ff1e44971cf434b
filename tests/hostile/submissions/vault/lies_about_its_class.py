# technique: returns an object whose __class__ is the class that is due
# replaces: shard.py
# expect: shard-* failed
# says: it should return an array of the device
from grader.devices import DeviceArray


class Liar:
    __class__ = DeviceArray


def shard(full, rank, world_size):
    return Liar()

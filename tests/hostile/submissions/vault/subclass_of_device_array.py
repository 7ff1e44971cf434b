# technique: returns an array of a class of its own that claims the right shape
# replaces: shard.py
# expect: shard-* failed
# says: it should return an array of the device
from grader.devices import DeviceArray


class Claims(DeviceArray):
    @property
    def shape(self):
        return (4, 3)

    def numpy(self):
        return None


def shard(full, rank, world_size):
    return Claims(full.machine, full.storage, full.layout)

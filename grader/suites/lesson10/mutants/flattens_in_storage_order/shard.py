# caught by: shard-strided
# defect: Reads the storage from its start, in the order in which a transpose or a slice does not show it.

from grader.devices import DeviceArray as Array
from grader.devices.layout import packed


def shard(full: Array, rank: int, world_size: int) -> Array:
    rows, *rest = full.shape or (1,)
    count = -(-rows // world_size)
    stored = full.view_as(packed((rows, *rest)))
    own = stored[rank * count : (rank + 1) * count]
    piece = full.device.zeros((count, *rest), full.dtype)
    piece[: own.shape[0]] = own
    return piece

# caught by: shard-piece
# defect: Every rank keeps the whole parameter; data parallelism under another name.

from grader.devices import DeviceArray as Array
from grader.devices import Group


def gather(piece: Array, shape: tuple[int, ...], group: Group) -> Array:
    return piece.copy()

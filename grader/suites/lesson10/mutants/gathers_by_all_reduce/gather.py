# caught by: gather-collectives
# defect: Adds up zero-filled wholes with an all-reduce, for twice the bytes of an all-gather.

from grader.devices import DeviceArray as Array
from grader.devices import Group


def gather(piece: Array, shape: tuple[int, ...], group: Group) -> Array:
    count, *rest = piece.shape
    padded = group.device.zeros((group.size * count, *rest), piece.dtype)
    padded[group.rank * count : (group.rank + 1) * count] = piece
    group.all_reduce(padded)
    rows = shape[0] if shape else 1
    return padded[:rows].reshape(shape)

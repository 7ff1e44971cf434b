# caught by: gather-collectives
# defect: Asks all ranks for their lengths, which the shape already tells: a second all-gather.

from grader.devices import DeviceArray as Array
from grader.devices import Group


def gather(piece: Array, shape: tuple[int, ...], group: Group) -> Array:
    count, *rest = piece.shape
    lengths = group.device.empty(group.size, "int64")
    group.all_gather_into_tensor(lengths, group.device.zeros(1, "int64") + count)
    padded = group.device.empty((group.size * count, *rest), piece.dtype)
    group.all_gather_into_tensor(padded, piece)
    rows = shape[0] if shape else 1
    return padded[:rows].reshape(shape)

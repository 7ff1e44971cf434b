# caught by: gather-padding
# defect: Adds the padded pieces up where they overlap, which is right only as long as the padding is 0.

from grader.devices import DeviceArray as Array
from grader.devices import Group


def gather(piece: Array, shape: tuple[int, ...], group: Group) -> Array:
    count, *rest = piece.shape
    padded = group.device.empty((group.size * count, *rest), piece.dtype)
    group.all_gather_into_tensor(padded, piece)
    rows = shape[0] if shape else 1
    full = group.device.zeros((rows + count, *rest), piece.dtype)
    for rank in range(group.size):
        start = rank * rows // group.size
        full[start : start + count] += padded[rank * count : (rank + 1) * count]
    return full[:rows].reshape(shape)

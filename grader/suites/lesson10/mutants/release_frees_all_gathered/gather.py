# caught by: release-others
# defect: Frees every parameter that was gathered so far, not only the one that it is given.

from grader.devices import DeviceArray as Array
from grader.devices import Group

GATHERED: list[Array] = []


def gather(piece: Array, shape: tuple[int, ...], group: Group) -> Array:
    count, *rest = piece.shape
    padded = group.device.empty((group.size * count, *rest), piece.dtype)
    group.all_gather_into_tensor(padded, piece)
    GATHERED.append(padded)
    rows = shape[0] if shape else 1
    return padded[:rows].reshape(shape)

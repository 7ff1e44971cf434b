# caught by: release-others
# defect: Frees what was gathered last besides what it is given.

from grader.devices import DeviceArray as Array
from grader.devices import Group

LATEST: list[Array] = []


def gather(piece: Array, shape: tuple[int, ...], group: Group) -> Array:
    count, *rest = piece.shape
    padded = group.device.empty((group.size * count, *rest), piece.dtype)
    group.all_gather_into_tensor(padded, piece)
    LATEST[:] = [padded]
    rows = shape[0] if shape else 1
    return padded[:rows].reshape(shape)

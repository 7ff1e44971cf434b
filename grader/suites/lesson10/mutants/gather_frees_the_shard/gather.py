# caught by: gather-owns
# defect: Frees the piece once it was sent; there is nothing left to gather from the next time.

from grader.devices import DeviceArray as Array
from grader.devices import Group


def gather(piece: Array, shape: tuple[int, ...], group: Group) -> Array:
    count, *rest = piece.shape
    padded = group.device.empty((group.size * count, *rest), piece.dtype)
    group.all_gather_into_tensor(padded, piece)
    piece.free()
    rows = shape[0] if shape else 1
    return padded[:rows].reshape(shape)

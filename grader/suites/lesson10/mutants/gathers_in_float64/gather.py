# caught by: gather-sent
# defect: Widens the piece before it is sent, so that more bytes travel than needed.

from grader.devices import DeviceArray as Array
from grader.devices import Group


def gather(piece: Array, shape: tuple[int, ...], group: Group) -> Array:
    count, *rest = piece.shape
    padded = group.device.empty((group.size * count, *rest), "float64")
    group.all_gather_into_tensor(padded, piece.astype("float64"))
    rows = shape[0] if shape else 1
    return padded[:rows].reshape(shape).astype(piece.dtype)

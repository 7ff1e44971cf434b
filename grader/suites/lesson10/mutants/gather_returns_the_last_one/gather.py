# caught by: gather-again
# defect: Keeps what it gathered by shape and returns it again, whatever the piece holds now.

from grader.devices import DeviceArray as Array
from grader.devices import Group

GATHERED: dict[tuple[int, ...], Array] = {}


def gather(piece: Array, shape: tuple[int, ...], group: Group) -> Array:
    known = GATHERED.get(shape)
    if known is not None and not known.is_freed:
        return known
    count, *rest = piece.shape
    padded = group.device.empty((group.size * count, *rest), piece.dtype)
    group.all_gather_into_tensor(padded, piece)
    rows = shape[0] if shape else 1
    GATHERED[shape] = padded[:rows].reshape(shape)
    return GATHERED[shape]

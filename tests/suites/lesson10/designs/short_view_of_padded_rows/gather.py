from grader.devices import DeviceArray as Array
from grader.devices import Group


def gather(piece: Array, shape: tuple[int, ...], group: Group) -> Array:
    rows, *rest = shape or (1,)
    count = -(-rows // group.size)
    padded = group.device.empty((group.size * count, *rest), piece.dtype)
    mine = padded[group.rank * count : (group.rank + 1) * count]
    mine[: piece.shape[0]] = piece
    group.all_gather_into_tensor(padded, mine.copy())
    return padded[:rows].reshape(shape)

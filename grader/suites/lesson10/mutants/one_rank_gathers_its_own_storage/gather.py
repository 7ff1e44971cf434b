# caught by: gather-owns
# defect: On one rank the whole is the piece itself, so a release would free the shard.

from grader.devices import DeviceArray as Array
from grader.devices import Group


def gather(piece: Array, shape: tuple[int, ...], group: Group) -> Array:
    if group.size == 1:
        return piece.reshape(shape)
    count, *rest = piece.shape
    padded = group.device.empty((group.size * count, *rest), piece.dtype)
    group.all_gather_into_tensor(padded, piece)
    rows = shape[0] if shape else 1
    return padded[:rows].reshape(shape)

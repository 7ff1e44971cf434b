# caught by: gather-uneven
# defect: Returns the gathered rows with the padding behind them.

import math

from grader.devices import DeviceArray as Array
from grader.devices import Group


def gather(piece: Array, shape: tuple[int, ...], group: Group) -> Array:
    count, *rest = piece.shape
    padded = group.device.empty((group.size * count, *rest), piece.dtype)
    group.all_gather_into_tensor(padded, piece)
    return padded.reshape(shape) if padded.size == math.prod(shape) else padded

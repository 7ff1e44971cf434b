# caught by: gather-even
# defect: Only rank 0 keeps what it gathered, and hands it to the others through NumPy's module, which all share.

import numpy as np

from grader.devices import DeviceArray as Array
from grader.devices import Group


def gather(piece: Array, shape: tuple[int, ...], group: Group) -> Array:
    count, *rest = piece.shape
    padded = group.device.empty((group.size * count, *rest), piece.dtype)
    group.all_gather_into_tensor(padded, piece)
    rows = shape[0] if shape else 1
    if group.rank == 0:
        np.whole = padded[:rows].reshape(shape)
    group.barrier()
    return np.whole

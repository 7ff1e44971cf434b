# caught by: gather-even
# defect: Hopes to read the other ranks' pieces from a module variable, as if they shared memory.

import numpy as np

from grader.devices import DeviceArray as Array
from grader.devices import Group

PIECES: dict[int, Array] = {}


def gather(piece: Array, shape: tuple[int, ...], group: Group) -> Array:
    PIECES[group.rank] = piece
    group.barrier()
    padded = np.concatenate([PIECES[rank] for rank in range(group.size)])
    rows = shape[0] if shape else 1
    return padded[:rows].reshape(shape)

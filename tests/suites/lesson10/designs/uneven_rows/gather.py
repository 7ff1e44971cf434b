import numpy as np
from shard import own_rows

from grader.devices import DeviceArray as Array
from grader.devices import Group


def gather(piece: Array, shape: tuple[int, ...], group: Group) -> Array:
    rows = shape[0] if shape else 1
    longest = -(-rows // group.size)
    padded = piece
    if piece.shape[0] < longest:
        padded = np.concatenate([piece, group.device.zeros((longest - piece.shape[0], *shape[1:]), piece.dtype)])
    parts = group.device.empty((group.size, *padded.shape), piece.dtype)
    group.all_gather_into_tensor(parts, padded)
    owned = [own_rows(rows, rank, group.size) for rank in range(group.size)]
    return np.concatenate([part[: own.stop - own.start] for part, own in zip(parts, owned, strict=True)]).reshape(shape)

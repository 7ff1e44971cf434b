# caught by: shard-host
# defect: Cuts in NumPy on the host: down with the whole parameter, up with the piece.

import numpy as np

from grader.devices import DeviceArray as Array


def shard(full: Array, rank: int, world_size: int) -> Array:
    host = np.atleast_1d(full.numpy())
    count = -(-len(host) // world_size)
    piece = np.zeros((count, *host.shape[1:]), host.dtype)
    own = host[rank * count : (rank + 1) * count]
    piece[: len(own)] = own
    return full.device.array(piece)

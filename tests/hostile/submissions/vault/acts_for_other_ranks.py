# technique: reads the other ranks' pieces in their names instead of gathering them
# replaces: gather.py
# expect: gather-traffic failed
# says: expected one got barrier
import numpy as np


def gather(piece, group):
    back, storage = piece.machine.back, piece.storage
    group.barrier()
    parts = []
    for rank in range(group.size):
        other = next(each for each in back.storages.values() if each.rank == rank and each.size == storage.size)
        _, content = back._log.ask([3, rank, None, [other.key, 0, list(piece.shape)]])
        parts.append(np.frombuffer(content, piece.dtype).reshape(piece.shape))
    return group.device.array(np.concatenate(parts))

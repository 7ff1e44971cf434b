# technique: passes the pieces from rank to rank through memory that all ranks share
# replaces: gather.py
# expect: gather-traffic failed
import builtins

import numpy as np


def gather(piece, group):
    shared = builtins.__dict__.setdefault("shared", {})
    shared[group.rank] = piece.numpy()
    group.barrier()
    return group.device.array(np.concatenate([shared[rank] for rank in range(group.size)]))

# technique: reads the other ranks' values from the text of their arrays instead of gathering them
# replaces: gather.py
# expect: gather-traffic blocked, gather-* failed
import builtins
import re

import numpy as np


def gather(piece, group):
    seen = builtins.__dict__.setdefault("seen", {})
    seen[group.rank] = str(piece)
    group.barrier()
    numbers = [float(each) for rank in range(group.size) for each in re.findall(r"[\d.]+", seen[rank])]
    return group.device.array(np.resize(numbers, (piece.shape[0] * group.size, 3)))

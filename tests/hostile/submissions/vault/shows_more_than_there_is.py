# technique: prints a view of one element in 24 dimensions, which no summary shortens
# replaces: gather.py
# expect: gather-traffic blocked, gather-* failed
import numpy as np


def gather(piece, group):
    print(np.broadcast_to(group.device.zeros(1), (2,) * 24))
    return piece

# technique: fills the memory with NumPy arrays
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: MemoryError
import numpy as np


def decode(codes):
    return [np.ones(2**26) for _ in range(64)]

# technique: redefines the builtins and NumPy functions with which a check might compare
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
import builtins

import numpy as np


def decode(codes):
    for name in ("all", "any", "repr", "abs", "hash", "sorted", "sum"):
        setattr(builtins, name, lambda *args, **kwargs: True)
    np.array_equal = np.allclose = np.testing.assert_allclose = lambda *args, **kwargs: True
    return "equal"

"""Which dtype is kept, computed with and reduced in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np


@dataclass(frozen=True, slots=True)
class Precision:
    """Names of dtypes. The devices have no bfloat16, so float16 stands for 16 bits; losses are not scaled.

    kept: of parameters and gradients at rest.
    compute: of gathered parameters, activations and their gradients.
    reduce: of gradients while they are reduced.
    """

    kept: str
    compute: str
    reduce: str

    @property
    def master(self) -> str:
        """The dtype in which the optimizer works: float32 at least.

        >>> ZERO.master, Precision("float64", "float64", "float64").master
        ('float32', 'float64')
        """
        return _master(self.kept)


@cache
def _master(kept: str) -> str:
    return np.promote_types(kept, "float32").name


FULL = Precision("float32", "float32", "float32")
# The paper's: 16 bits everywhere, and float32 master weights with the optimizer. With Adam 2 + 2 + 12 bytes.
ZERO = Precision("float16", "float16", "float16")
# MixedPrecisionPolicy's: float32 shards, cast before they are gathered. With Adam 4 + 4 + 8 bytes.
FSDP = Precision("float32", "float16", "float32")

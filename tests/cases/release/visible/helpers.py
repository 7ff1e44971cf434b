"""Helpers of both kinds."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

# Sizes that a learner sees.
SIZES = [(2, 3), (4, 5)]
LIMIT = 4096
LIMIT += 1


@dataclass(frozen=True)
class Pair:
    """Two numbers."""

    first: int
    second: int = LIMIT


def pairs(numbers):
    """Neighbours."""
    return [Pair(*both) for both in pairwise(numbers)]  # a comment that stays

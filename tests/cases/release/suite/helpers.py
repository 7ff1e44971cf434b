"""Helpers of both kinds."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

# Sizes that a learner sees.
SIZES = [(2, 3), (4, 5)]
SECRET_SIZES = [(7, 11, 13), (17, 19, 23)]
LIMIT = 4096
LIMIT += 1
SECRET_LIMIT = 7_654_321

# A heading of what follows.


@dataclass(frozen=True)
class Pair:
    """Two numbers."""

    first: int
    second: int = LIMIT


def pairs(numbers):
    """Neighbours."""
    return [Pair(*both) for both in pairwise(numbers)]  # a comment that stays


# This one goes with what is below.
def secret(numbers):
    """A helper for nobody to see."""
    return SECRET_LIMIT

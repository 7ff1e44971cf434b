"""Finds submissions that look copied: pairs that have the same runs of tokens, beside what was given to everyone."""

from .compare import Compared, compare

__all__ = ["Compared", "compare"]

"""The small API for authors of suites: state criteria, run the learner's functions, say what is wrong."""

from __future__ import annotations

from .criteria import Failed, criterion
from .measure import Run, held, measured, memory
from .trouble import StudentError, Trouble, place_of

__all__ = ["Failed", "Run", "StudentError", "Trouble", "criterion", "held", "measured", "memory", "place_of"]

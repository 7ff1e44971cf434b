"""What a learner's own functions, and the stages of ZeRO beside them, cost at a size that nobody has at home."""

from __future__ import annotations

from grader.authoring.measure import Run
from grader.devices.hardware import CHIPS, LINKS, Chip, Link
from grader.devices.trace import chrome_trace

from .learner import NEEDED, CannotRun, Learner
from .model import Cost, Model
from .stages import STAGES, stage

__all__ = [
    "CHIPS",
    "LINKS",
    "NEEDED",
    "STAGES",
    "CannotRun",
    "Chip",
    "Cost",
    "Learner",
    "Link",
    "Model",
    "Run",
    "chrome_trace",
    "stage",
]

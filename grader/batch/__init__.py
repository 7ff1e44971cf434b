"""Grades a class: collects what was handed in, has it graded by an engine, and keeps every result."""

from .collect import Collected, HandedIn, collect
from .engine import Done, Engine, Job
from .layouts import CollectError
from .reading import read_handed_in
from .roster import RosterError, read_roster

__all__ = [
    "CollectError",
    "Collected",
    "Done",
    "Engine",
    "HandedIn",
    "Job",
    "RosterError",
    "collect",
    "read_handed_in",
    "read_roster",
]

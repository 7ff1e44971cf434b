"""Grades a class: collects what was handed in, has it graded by an engine, and keeps every result."""

from .collect import Collected, HandedIn
from .engine import Done, Engine, Job

__all__ = ["Collected", "Done", "Engine", "HandedIn", "Job"]

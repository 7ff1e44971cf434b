"""The figures of the lessons, each drawn from what the reference solutions do on the simulated cluster.

A module in this folder that does not begin with an underscore is a figure of its name: its ``draw(course)`` runs the
code and gives a ``Figure``, the same each time, byte for byte.

>>> figures()
['bytes-sent', 'gather-compute-release', 'memory-by-stage', 'states-by-devices']
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import cast

from grader.course import Course

from ._figure import Figure

__all__ = ["Figure", "draw", "figures"]


def figures() -> list[str]:
    """The names of the figures that there are."""
    names = (module.name for module in pkgutil.iter_modules(__path__))
    return sorted(name.replace("_", "-") for name in names if not name.startswith("_"))


def draw(name: str, course: Course) -> Figure:
    """Draw one of ``figures()`` by the reference solutions of ``course``."""
    module = importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
    return cast("Figure", module.draw(course))

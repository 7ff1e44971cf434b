"""Pictures as SVG that stand alone: light and dark, to be read without colour, and described for who does not see them.

Pure functions from data to text: memory over time and the two streams of a device, each or both, from a ``Timeline``,
and curves over the number of devices.
"""

from __future__ import annotations

from .curves import Bound, Curve, Plot, curves
from .memory import memory
from .step import step
from .streams import streams

__all__ = ["Bound", "Curve", "Plot", "curves", "memory", "step", "streams"]

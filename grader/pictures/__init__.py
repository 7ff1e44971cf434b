"""Pictures as SVG that stand alone: light and dark, to be read without colour, and described for who does not see them.

Pure functions from data to text: memory over time and the two streams of a device, each or both, from a ``Timeline``,
memory in panels at one scale, curves over the number of devices, and bars of bytes.
"""

from __future__ import annotations

from ._scales import in_bytes
from .bars import Bar, Bars, bars
from .curves import Bound, Curve, Plot, curves
from .memory import memory
from .panels import Panel, Panels, Phase, panels
from .step import step
from .streams import streams

__all__ = [
    "Bar",
    "Bars",
    "Bound",
    "Curve",
    "Panel",
    "Panels",
    "Phase",
    "Plot",
    "bars",
    "curves",
    "in_bytes",
    "memory",
    "panels",
    "step",
    "streams",
]

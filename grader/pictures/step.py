"""A step of one device: its memory and, below that over the same time, its two streams."""

from __future__ import annotations

from grader.results import Timeline

from . import _svg as svg
from .memory import draw as draw_memory
from .streams import draw as draw_streams


def step(timeline: Timeline, id: str = "step") -> str:
    """Draw both as one SVG.

    >>> from grader.results import Span
    >>> drawn = step(Timeline(0, (8, 16), seconds=(0, 1), spans=(Span("compute", "matmul", 0, 2),)))
    >>> "Memory of rank 0" in drawn and "Streams of rank 0" in drawn
    True
    """
    above, below = draw_memory(timeline, f"{id}-memory"), draw_streams(timeline, f"{id}-streams")
    return svg.picture(id, above.above(below))

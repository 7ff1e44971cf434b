"""Areas on top of one another that change in steps."""

from __future__ import annotations

from collections.abc import Sequence

from . import _svg as svg

Edges = tuple[list[int], list[int]]


def stacked(parts: Sequence[Sequence[int]]) -> list[Edges]:
    """By part the lower and the upper edge of its area.

    >>> stacked([(8, 8), (0, 4)])
    [([0, 0], [8, 8]), ([8, 8], [8, 12])]
    """
    below = [0] * len(parts[0]) if parts else []
    found = []
    for counts in parts:
        above = [low + count for low, count in zip(below, counts, strict=True)]
        found.append((below, above))
        below = above
    return found


def outline(xs: Sequence[float], below: Sequence[float], above: Sequence[float]) -> str:
    """Steps along the upper edge, and back along the lower: one x more than steps, and a y of each edge for each.

    >>> outline([0, 5, 9], [8, 8], [6, 4])
    'M0 6H5V4H9L9 8H5H0Z'
    """
    if not above:
        return "M0 0"
    parts = [f"M{svg.number(xs[0])} {svg.number(above[0])}"]
    for column in range(1, len(above)):
        if above[column] != above[column - 1]:
            parts.append(f"H{svg.number(xs[column])}V{svg.number(above[column])}")
    parts += [f"H{svg.number(xs[-1])}", f"L{svg.number(xs[-1])} {svg.number(below[-1])}"]
    for column in reversed(range(len(below))):
        parts.append(f"H{svg.number(xs[column])}")
        if column and below[column - 1] != below[column]:
            parts.append(f"V{svg.number(below[column - 1])}")
    return "".join([*parts, "Z"])

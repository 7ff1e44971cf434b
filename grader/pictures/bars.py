"""Bars of bytes, in groups and at one scale, each made up of parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from . import _svg as svg
from ._scales import in_bytes

HEAD, BAR, GAP = 32, 22, 10
LEFT = 168  # of the bars, right of their names
ROOM = 150  # for the number at the end of the longest


@dataclass(frozen=True, slots=True)
class Bar:
    """Bytes of each part, in the order of ``Bars.parts``, with a note beside their sum."""

    name: str
    bytes: tuple[int, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Bars:
    """What ``bars`` draws: groups of bars by name, and their parts by name and shade."""

    title: str
    subtitle: str
    description: str
    parts: tuple[tuple[str, int], ...]
    groups: tuple[tuple[str, tuple[Bar, ...]], ...]


def bars(drawn: Bars, id: str = "bars") -> str:
    """Draw ``drawn`` as SVG.

    >>> one = "One step", (Bar("stage 0", (2000,)),)
    >>> text = bars(Bars("Sent", "by a device", "One bar.", (("all-reduce", 0),), (one,)))
    >>> "stage 0" in text and "2 kB" in text
    True
    """
    longest = max((sum(bar.bytes) for _, group in drawn.groups for bar in group), default=0) or 1
    scale = (svg.RIGHT - ROOM - LEFT) / longest
    parts, y = svg.headings(drawn.title, drawn.subtitle)
    for name, group in drawn.groups:
        parts.append(svg.label(svg.LEFT, y + 18, name, "head"))
        y += HEAD
        parts.append(svg.line(LEFT, y - 4, LEFT, y + len(group) * (BAR + GAP) - GAP + 4, "axis"))
        for bar in group:
            parts += _bar(drawn, bar, y, scale, id)
            y += BAR + GAP
    rows, height = svg.key(y, "", [svg.Entry(svg.swatch(id, shade), part) for part, shade in drawn.parts])
    defined = svg.patterns(id, [shade for _, shade in drawn.parts])
    return svg.picture(id, svg.Drawing(drawn.title, drawn.description, height + 2, (defined, *parts, rows)))


def _bar(drawn: Bars, bar: Bar, y: float, scale: float, id: str) -> Iterator[str]:
    yield svg.label(svg.LEFT, y + BAR / 2 + 5, bar.name)
    x = float(LEFT)
    for (_, shade), count in zip(drawn.parts, bar.bytes, strict=True):
        if count:
            width = scale * count
            yield svg.tag("rect", x=x, y=y, width=width, height=BAR, fill=f"url(#{id}-{shade})", class_="edge")
            x += width
    told = ", ".join(filter(None, [in_bytes(sum(bar.bytes)), bar.note]))
    yield svg.label(x + 8, y + BAR / 2 + 5, told)

"""Memory in panels, one below the other at one scale, so that heights can be compared; each with its phases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from . import _svg as svg
from ._areas import outline, stacked
from ._scales import on_axis, ticks

HEIGHT = 340  # of all panels together, without what is written
HEAD, PHASES, GAP = 34, 16, 16
LEFT = svg.LEFT + svg.MARGIN
APART = 24  # the least between two numbers of an axis
CHARACTER = 10  # of room for one, at the largest size of letters


@dataclass(frozen=True, slots=True)
class Phase:
    """A part of a panel from left to right, in the panel's own measure."""

    name: str
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Panel:
    """Bytes of each area, in the order of ``Panels.areas``, from each place of ``at`` to the next, or to ``end``."""

    name: str
    note: str
    bytes: tuple[tuple[int, ...], ...]
    at: tuple[float, ...]
    end: float
    phases: tuple[Phase, ...] = ()

    @property
    def peak(self) -> int:
        return max(map(sum, zip(*self.bytes, strict=True)), default=0)


@dataclass(frozen=True, slots=True)
class Panels:
    """What ``panels`` draws: areas from the lowest up, by name and shade, and a bound where a panel reaches it.

    ``unit`` names bytes that everything is measured in, such as ``("L", 2000)`` for a layer's.
    """

    title: str
    subtitle: str
    description: str
    areas: tuple[tuple[str, int], ...]
    panels: tuple[Panel, ...]
    across: str
    bound: tuple[str, int] | None = None
    unit: tuple[str, int] | None = None


def panels(drawn: Panels, id: str = "panels") -> str:
    """Draw ``drawn`` as SVG.

    >>> one = Panel("Stage 3", "peak 24 bytes", ((8, 8), (0, 16)), (0, 1), 2, (Phase("forward", 0, 2),))
    >>> text = panels(Panels("Memory", "of one device", "One layer.", (("pieces", 5), ("gathered", 0)), (one,), "time"))
    >>> "Stage 3" in text and "forward" in text
    True
    """
    parts, top = svg.headings(drawn.title, drawn.subtitle)
    # Each a little higher than its peak.
    scale = HEIGHT / (1.06 * sum(panel.peak for panel in drawn.panels) or 1)
    for panel in drawn.panels:
        chart = _Chart(drawn, panel, top, scale)
        parts += chart.parts(id)
        top = chart.bottom + GAP
    parts.append(svg.label(svg.RIGHT, top, drawn.across, "soft end"))
    entries = [svg.Entry(svg.swatch(id, shade), name) for name, shade in reversed(drawn.areas)]
    rows, height = svg.key(top + 8, "", entries)
    defined = svg.patterns(id, [shade for _, shade in drawn.areas])
    return svg.picture(id, svg.Drawing(drawn.title, drawn.description, height + 2, (defined, *parts, rows)))


class _Chart:
    """One panel, from ``top`` on, at ``scale`` per byte."""

    def __init__(self, drawn: Panels, panel: Panel, top: float, scale: float) -> None:
        self.drawn, self.panel, self.scale = drawn, panel, scale
        self.head = top + 18
        self.named = any(phase.name for phase in panel.phases)
        self.roof = top + HEAD + PHASES * self.named
        self.highest = 1.06 * panel.peak
        self.bottom = self.roof + scale * self.highest

    def x(self, at: float) -> float:
        return LEFT + (svg.RIGHT - LEFT) * at / (self.panel.end or 1)

    def y(self, count: float) -> float:
        return self.bottom - self.scale * count

    def parts(self, id: str) -> Iterator[str]:
        yield svg.label(svg.LEFT, self.head, self.panel.name, "head")
        yield svg.label(svg.RIGHT, self.head, self.panel.note, "soft end")
        yield from self._axis()
        xs = [self.x(at) for at in (*self.panel.at, self.panel.end)]
        for (_, shade), edges in zip(self.drawn.areas, stacked(self.panel.bytes), strict=True):
            below, above = ([self.y(count) for count in edge] for edge in edges)
            if below != above:
                yield svg.tag("path", d=outline(xs, below, above), fill=f"url(#{id}-{shade})", class_="edge")
        yield from self._phases()
        yield from self._bound()

    def _axis(self) -> Iterator[str]:
        name, unit = self.drawn.unit or ("", 1)
        most = max(panel.peak for panel in self.drawn.panels)
        fit = int(self.scale * most / APART)
        # Of a unit only whole ones.
        whole = most // unit
        for tick in ticks(whole, max(min(fit, whole), 1)):
            if tick * unit <= self.highest:
                y = self.y(tick * unit)
                yield svg.line(LEFT, y, svg.RIGHT, y, "grid" if tick else "axis")
                yield svg.label(LEFT - 8, y + 5, f"{tick:g} {name}" if name else on_axis(tick), "soft end")

    def _phases(self) -> Iterator[str]:
        for phase in self.panel.phases:
            start, end = self.x(phase.start), self.x(phase.end)
            if phase.start:
                yield svg.line(start, self.roof - (PHASES - 4) * self.named, start, self.bottom, "grid")
            if 0 < len(phase.name) * CHARACTER <= end - start:
                yield svg.label((start + end) / 2, self.roof - 6, phase.name, "mid")

    def _bound(self) -> Iterator[str]:
        if self.drawn.bound is None or self.drawn.bound[1] > self.highest:
            return
        name, count = self.drawn.bound
        for style in ("under", "bound"):
            yield svg.line(LEFT, self.y(count), svg.RIGHT, self.y(count), style)
        yield svg.label(svg.RIGHT - 4, self.y(count) - 7, name, "over halo end")

"""Memory over time: the bytes on one device after each allocation and release, stacked by category."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from grader.results import Timeline

from . import _svg as svg
from ._areas import outline, stacked
from ._scales import exactly, in_seconds, on_axis, ticks

TOP, HEIGHT = 56, 190
LEFT = svg.LEFT + svg.MARGIN
COLUMNS = 400


def memory(timeline: Timeline, id: str = "memory") -> str:
    """Draw ``timeline`` as SVG: over its seconds if it has a clock, else event by event.

    >>> memory(Timeline(0, (0, 8, 16, 8)))[:5]
    '<svg '
    """
    return svg.picture(id, draw(timeline, id))


def draw(timeline: Timeline, id: str) -> svg.Drawing:
    """What ``memory`` draws."""
    chart = _Chart(timeline)
    shades = [_shade(layer, len(chart.layers)) for layer in range(len(chart.layers))]
    below = TOP + HEIGHT + svg.ROW + 6
    rows, bottom = svg.key(below, "at the peak", _entries(timeline, id, shades)) if timeline.parts else ("", below)
    return svg.Drawing(
        title(timeline),
        describe(timeline),
        bottom + 2,
        (
            svg.patterns(id, shades),
            svg.label(svg.LEFT, 18, title(timeline), "head"),
            svg.label(svg.LEFT, 40, _peak_event(timeline), "soft"),
            *chart.grid(),
            *(
                # Over time what is too short to be an area is a line of its own colour.
                svg.tag(
                    "path",
                    d=chart.area(low, high),
                    fill=f"url(#{id}-{shade})",
                    class_=f"e{shade}" if chart.timed else "edge",
                )
                for shade, (low, high) in zip(shades, chart.layers, strict=True)
            ),
            *chart.marks(),
            *chart.labels(),
            *chart.aims(),
            rows,
        ),
    )


def title(timeline: Timeline) -> str:
    """What the picture is of, with the peak."""
    peak = max(timeline.bytes, default=0)
    return f"Memory of rank {timeline.rank}: peak {exactly(peak, peak)}"


def describe(timeline: Timeline) -> str:
    """What there is to be seen, for those who do not see it."""
    if timeline.peak is None:
        return "Nothing was allocated or released."
    first, last, peak = timeline.bytes[0], timeline.bytes[-1], timeline.bytes[timeline.peak]
    sentences = [
        f"{len(timeline.bytes):,} allocations and releases: {first:,} bytes after the first, {peak:,} at the peak, "
        f"{last:,} after the last.",
        f"The peak comes {_peak_event(timeline)}.",
    ]
    if timeline.parts:
        shares = ", ".join(f"{name} {counts[timeline.peak]:,}" for name, counts in timeline.parts)
        sentences.append(f"Bytes at the peak: {shares}.")
    if timeline.bound is not None:
        over = peak - timeline.bound
        kept = f"passed by {over:,}" if over > 0 else "kept"
        sentences.append(f"The bound of {timeline.bound:,} bytes is {kept}.")
    return " ".join(sentences)


def event(timeline: Timeline, index: int) -> str:
    """Event ``index`` in words: what it was and its line.

    >>> event(Timeline(0, (8, 0), ("empty", "release")), 1)
    'release'
    """
    what = timeline.labels[index] if index < len(timeline.labels) else ""
    place = timeline.places[index] if index < len(timeline.places) else None
    return ", ".join(filter(None, [svg.cut(what), svg.cut(f"{place.file}:{place.line}") if place is not None else ""]))


def _peak_event(timeline: Timeline) -> str:
    if timeline.peak is None:
        return "no allocations and no releases"
    what = event(timeline, timeline.peak)
    when = (
        in_seconds(timeline.seconds[timeline.peak])
        if _timed(timeline)
        else f"event {timeline.peak + 1:,} of {len(timeline.bytes):,}"
    )
    return f"at {when}" + (f": {what}" if what else "")


def _timed(timeline: Timeline) -> bool:
    return 0 < len(timeline.bytes) == len(timeline.seconds) and timeline.seconds[-1] > 0


def _shade(layer: int, count: int) -> int:
    """What is at rest is grey, so that what comes and goes stands out; one area alone is blue."""
    return 0 if count == 1 else (svg.SLATE, 0, 1, 4, 3, 2)[layer % 6]


def _entries(timeline: Timeline, id: str, shades: Sequence[int]) -> list[svg.Entry]:
    """The key, from the top of the stack down, as the areas lie."""
    rows = zip(shades, timeline.parts, strict=False)
    peak = timeline.peak or 0
    return [
        svg.Entry(svg.swatch(id, shade), name, exactly(counts[peak], timeline.bytes[peak]) if counts else "")
        for shade, (name, counts) in reversed(list(rows))
    ]


class _Chart:
    """Where things lie. ``shown`` are the events that are drawn: all, or of each column the one of most bytes."""

    def __init__(self, timeline: Timeline) -> None:
        self.timeline = timeline
        count = len(timeline.bytes)
        edges = [column * count // COLUMNS for column in range(COLUMNS + 1)]
        self.shown = (
            list(range(count))
            if count <= COLUMNS
            else [max(range(a, b), key=timeline.bytes.__getitem__) for a, b in itertools.pairwise(edges)]
        )
        self.top = max(*timeline.bytes, timeline.bound or 0, 1) * 1.04 if count else 1.0
        self.timed = _timed(timeline)
        self.end = max([*timeline.seconds, *(span.end for span in timeline.spans)]) if self.timed else 0.0
        parts = [counts for _, counts in timeline.parts] or [timeline.bytes]
        self.layers = stacked([[counts[index] for index in self.shown] for counts in parts])

    def x(self, column: int) -> float:
        """Where a shown event begins; the last ends where one more would begin."""
        if self.timed:
            seconds = self.timeline.seconds[self.shown[column]] if column < len(self.shown) else self.end
            return LEFT + (svg.RIGHT - LEFT) * seconds / self.end
        return LEFT + (svg.RIGHT - LEFT) * column / max(len(self.shown), 1)

    def y(self, count: float) -> float:
        return TOP + HEIGHT * (1 - count / self.top)

    def area(self, below: Sequence[int], above: Sequence[int]) -> str:
        columns = range(len(above) + 1)
        return outline([self.x(column) for column in columns], list(map(self.y, below)), list(map(self.y, above)))

    def grid(self) -> list[str]:
        return [
            svg.line(LEFT, self.y(tick), svg.RIGHT, self.y(tick), "axis" if not tick else "grid")
            for tick in ticks(self.top)
        ]

    def marks(self) -> list[str]:
        """The bound and the peak."""
        parts = []
        bound, peak = self.timeline.bound, self.timeline.peak
        if bound is not None:
            parts += [svg.line(LEFT, self.y(bound), svg.RIGHT, self.y(bound), style) for style in ("under", "bound")]
        if peak is not None:
            column = self.shown.index(peak)
            middle = (self.x(column) + self.x(column + 1)) / 2
            top = self.y(self.timeline.bytes[peak])
            # Over time a peak may be too short to be seen as an area.
            parts += [svg.line(middle, top, middle, self.y(0), "stem")] if self.timed else []
            parts.append(svg.tag("circle", cx=middle, cy=top, r=4, class_="spot"))
        return parts

    def labels(self) -> list[str]:
        parts = [svg.label(LEFT - 8, self.y(tick) + 5, on_axis(tick), "soft end") for tick in ticks(self.top)]
        bound = self.timeline.bound
        if bound is not None:
            parts.append(
                svg.label(svg.RIGHT - 4, self.y(bound) - 6, f"at most {exactly(bound, bound)}", "over halo end")
            )
        end = in_seconds(self.end) if self.timed else f"{len(self.timeline.bytes):,} allocations and releases"
        start = "0 s" if self.timed else "1"
        return [
            *parts,
            svg.label(LEFT, TOP + HEIGHT + 18, start, "soft"),
            svg.label(svg.RIGHT, TOP + HEIGHT + 18, end, "soft end"),
        ]

    def aims(self) -> list[str]:
        """What a pointer finds: the event, its line and its bytes."""
        return [
            svg.tag(
                "rect",
                svg.tag("title", svg.printable(self._aim(index))),
                x=self.x(column),
                y=TOP,
                width=self.x(column + 1) - self.x(column),
                height=HEIGHT,
                class_="aim",
            )
            for column, index in enumerate(self.shown)
        ]

    def _aim(self, index: int) -> str:
        what = event(self.timeline, index)
        return f"{index + 1:,}: {self.timeline.bytes[index]:,} bytes" + (f", {what}" if what else "")

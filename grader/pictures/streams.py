"""The two streams of a device over time: what computes, what communicates, and when both do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.results import Span, Timeline

from . import _svg as svg
from ._scales import in_seconds, ticks

STREAMS = ("compute", "communication")
SHADES = (0, 1)
TOP, LANE, GAP = 62, 34, 26
LEFT = svg.LEFT + svg.MARGIN
FAINTEST, PARTED = 0.3, 4  # the least width of a block, and that from which on it has an edge
CHARACTER = 10  # of room for one, at the largest size of letters


def streams(timeline: Timeline, id: str = "streams") -> str:
    """Draw the spans of ``timeline`` as SVG, a lane for each stream, over the same width as ``memory``."""
    return svg.picture(id, draw(timeline, id))


def draw(timeline: Timeline, id: str) -> svg.Drawing:
    """What ``streams`` draws."""
    end = _end(timeline)
    bottom = TOP + len(STREAMS) * (LANE + GAP)
    entries = [
        svg.Entry(svg.swatch(id, shade), stream, in_seconds(_length(_busy(timeline.spans, stream))))
        for stream, shade in zip(STREAMS, SHADES, strict=True)
    ]
    rows, height = svg.key(bottom + svg.ROW, "busy", entries)
    return svg.Drawing(
        title(timeline),
        describe(timeline),
        height + 2,
        (
            svg.patterns(id, SHADES),
            svg.label(svg.LEFT, 18, title(timeline), "head"),
            svg.label(svg.LEFT, 40, _hidden(timeline), "soft"),
            *(svg.line(_x(tick, end), TOP, _x(tick, end), bottom, "grid") for tick in ticks(end)[1:]),
            *(part for lane in range(len(STREAMS)) for part in _lane(timeline, lane, id)),
            svg.label(LEFT, bottom + 16, "0 s", "soft"),
            svg.label(svg.RIGHT, bottom + 16, in_seconds(end), "soft end"),
            rows,
        ),
    )


def _lane(timeline: Timeline, lane: int, id: str) -> Iterator[str]:
    """One stream: its name above its blocks."""
    stream, end = STREAMS[lane], _end(timeline)
    y = TOP + lane * (LANE + GAP)
    yield svg.label(LEFT, y + 12, stream)
    yield svg.line(LEFT, y + 20 + LANE, svg.RIGHT, y + 20 + LANE, "axis")
    for span in _shown([span for span in timeline.spans if span.stream == stream], end):
        yield _block(span, y + 20, end, f"url(#{id}-{SHADES[lane]})")


def _end(timeline: Timeline) -> float:
    return max((span.end for span in timeline.spans), default=0.0)


def title(timeline: Timeline) -> str:
    """What the picture is of, with its length."""
    return f"Streams of rank {timeline.rank}: {in_seconds(_end(timeline))}"


def describe(timeline: Timeline) -> str:
    """What there is to be seen, for those who do not see it."""
    if not timeline.spans:
        return "Neither stream did anything."
    busy = "; ".join(f"{stream}: {_told(timeline.spans, stream)}" for stream in STREAMS)
    return f"{busy[0].upper()}{busy[1:]}. {_hidden(timeline)}."


def _told(spans: Sequence[Span], stream: str) -> str:
    count = sum(span.stream == stream for span in spans)
    noun = "operation" if count == 1 else "operations"
    return f"{count:,} {noun}, busy for {in_seconds(_length(_busy(spans, stream)))}"


def _hidden(timeline: Timeline) -> str:
    """How much of the communication computing hides."""
    computing, talking = (_length(_busy(timeline.spans, stream)) for stream in STREAMS)
    if not talking:
        return "No time in communication"
    both = computing + talking - _length(_busy(timeline.spans, *STREAMS))
    return f"{both / talking:.0%} of the communication is hidden by compute"


def _busy(spans: Sequence[Span], *streams: str) -> list[tuple[float, float]]:
    """When one of these streams does something, as intervals that do not meet."""
    found: list[tuple[float, float]] = []
    for start, end in sorted((span.start, span.end) for span in spans if span.stream in streams):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def _length(intervals: Sequence[tuple[float, float]]) -> float:
    return sum(end - start for start, end in intervals)


def _x(seconds: float, end: float) -> float:
    return LEFT + (svg.RIGHT - LEFT) * seconds / (end or 1)


def _shown(spans: Sequence[Span], end: float) -> Iterator[Span]:
    """The spans of a lane that reach so much further than those before that it can be seen."""
    reached = -1.0
    for span in sorted(spans, key=lambda span: span.start):
        if _x(span.end, end) >= reached + 1:
            reached = _x(span.end, end)
            yield span


def _block(span: Span, y: float, end: float, fill: str) -> str:
    # One that is hardly there is drawn as faint as it is: many of them look as dense as they are.
    x, width = _x(span.start, end), max(_x(span.end, end) - _x(span.start, end), FAINTEST)
    edge = {"class_": "edge"} if width >= PARTED else {}
    where = "" if span.place is None else f", {span.place.file}:{span.place.line}"
    told = f"{svg.cut(span.label)}{svg.cut(where)}: {in_seconds(span.start)} to {in_seconds(span.end)}"
    block = svg.tag(
        "rect", svg.tag("title", svg.printable(told)), x=x, y=y, width=width, height=LANE, fill=fill, **edge
    )
    fits = len(span.label) * CHARACTER + 8 <= width
    return block + (svg.label(x + width / 2, y + LANE / 2 + 5, span.label, "halo mid") if fits else "")

"""Curves over the number of devices, bytes or seconds, on axes of powers, with bounds such as a device's memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from . import _svg as svg
from ._scales import in_bytes, in_seconds, on_axis, powers

Unit = Literal["bytes", "seconds"]

TOP, HEIGHT = 36, 240
LEFT = svg.LEFT + svg.MARGIN
MOST_TICKS = 8
SHADES = 6
CHARACTER = 10  # of room for one, at the largest size of letters
_IN: Mapping[Unit, Callable[[float], str]] = {"bytes": in_bytes, "seconds": in_seconds}
_ON_AXIS: Mapping[Unit, Callable[[float], str]] = {"bytes": on_axis, "seconds": in_seconds}
_DASHES = ("", "9 4", "2 4", "12 3 2 3", "5 5", "16 5")
_MARKS = (
    "M-4 0A4 4 0 1 1 4 0A4 4 0 1 1-4 0Z",
    "M-4-4H4V4H-4Z",
    "M0-5L5 4H-5Z",
    "M0-5.5L5.5 0L0 5.5L-5.5 0Z",
    "M-5-4H5L0 5Z",
    "M-5-1.5H-1.5V-5H1.5V-1.5H5V1.5H1.5V5H-1.5V1.5H-5Z",
)


@dataclass(frozen=True, slots=True)
class Curve:
    """A named series of (number of devices, bytes or seconds), by number of devices; a value of 0 is not drawn."""

    name: str
    points: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class Bound:
    """A horizontal line, such as "80 GB"."""

    name: str
    value: float


@dataclass(frozen=True, slots=True)
class Plot:
    """What ``curves`` draws: at most six curves, and bounds that they are held against."""

    title: str
    unit: Unit
    curves: tuple[Curve, ...]
    bounds: tuple[Bound, ...] = ()

    def __post_init__(self) -> None:
        if len(self.curves) > SHADES:
            raise ValueError(f"{len(self.curves)} curves in one plot; {SHADES} can be told apart")
        if any(
            value < 0 or not math.isfinite(value) or count < 1 for each in self.curves for count, value in each.points
        ):
            raise ValueError("a plot takes at least one device, and values that are finite and not negative")
        if any(bound.value <= 0 or not math.isfinite(bound.value) for bound in self.bounds):
            raise ValueError("a bound is finite and above 0")


def curves(plot: Plot, id: str = "curves") -> str:
    """Draw ``plot`` as SVG.

    >>> fit = Plot("At rest", "bytes", (Curve("stage 3", ((1, 16e9), (8, 2e9))),), (Bound("8 GB", 8e9),))
    >>> "below 8 GB from 8 devices on" in curves(fit)
    True
    """
    axes = _Axes(plot)
    entries = [
        svg.Entry(_sample(shade), curve.name, _IN[plot.unit](curve.points[-1][1]) if curve.points else "")
        for shade, curve in enumerate(plot.curves)
    ]
    last = f"at {_devices(axes.counts[-1])}" if axes.counts else ""
    rows, height = svg.key(TOP + HEIGHT + svg.ROW + 8, last, entries)
    drawing = svg.Drawing(
        plot.title,
        describe(plot),
        height + 2,
        (
            svg.label(svg.LEFT, 18, plot.title, "head"),
            *axes.grid(),
            *(axes.bound(bound) for bound in plot.bounds),
            # The first lies on top, where others coincide with it.
            *(part for shade, curve in reversed(list(enumerate(plot.curves))) for part in axes.curve(shade, curve)),
            *(axes.name(bound) for bound in plot.bounds),
            rows,
        ),
    )
    return svg.picture(id, drawing)


def describe(plot: Plot) -> str:
    """What there is to be seen, for those who do not see it."""
    sentences = [_describe_curve(plot, curve) for curve in plot.curves if curve.points]
    return " ".join(sentences) or "No curves."


def _describe_curve(plot: Plot, curve: Curve) -> str:
    shown = _IN[plot.unit]
    (first, begin), (last, end) = curve.points[0], curve.points[-1]
    text = f"{svg.cut(curve.name)}: {shown(begin)} at {_devices(first)}, {shown(end)} at {_devices(last)}"
    return "; ".join([text, *(_held(curve, bound) for bound in plot.bounds)]) + "."


def _held(curve: Curve, bound: Bound) -> str:
    """From which number of devices on a curve is below a bound."""
    over = [place for place, (_, value) in enumerate(curve.points) if value > bound.value]
    if not over:
        return f"always below {bound.name}"
    if over[-1] + 1 == len(curve.points):
        return f"above {bound.name} to the end"
    return f"below {bound.name} from {_devices(curve.points[over[-1] + 1][0])} on"


def _devices(count: int) -> str:
    return f"{count:,} {'device' if count == 1 else 'devices'}"


def _sample(shade: int) -> str:
    return svg.tag("path", d="M1-4H27", class_=f"s{shade}", stroke_dasharray=_DASHES[shade] or "none") + svg.tag(
        "path", d=_MARKS[shade], class_=f"f{shade} edge", transform="translate(14 -4)"
    )


class _Axes:
    """Where things lie."""

    def __init__(self, plot: Plot) -> None:
        self.plot = plot
        # The bounds are named beside the plot, where no curve can be in the way.
        room = max((len(svg.cut(bound.name)) for bound in plot.bounds), default=-1) + 1
        self.right = svg.RIGHT - CHARACTER * room
        self.counts = sorted({count for curve in plot.curves for count, _ in curve.points})
        values = [value for curve in plot.curves for _, value in curve.points if value]
        values += [bound.value for bound in plot.bounds]
        # Room above the highest and below the lowest, and a whole decade at the least.
        self.low, self.high = min(values, default=1.0) / 1.6, max(values, default=1.0) * 1.6
        if self.high < 10 * self.low:
            middle = math.sqrt(self.low * self.high)
            self.low, self.high = middle / math.sqrt(10), middle * math.sqrt(10)

    def x(self, count: float) -> float:
        first, last = (self.counts[0], self.counts[-1]) if self.counts else (1, 1)
        share = math.log(count / first) / math.log(last / first) if last > first else 0.5
        return LEFT + 14 + (self.right - LEFT - 28) * share

    def y(self, value: float) -> float:
        return TOP + HEIGHT * (1 - math.log(value / self.low) / math.log(self.high / self.low))

    def grid(self) -> list[str]:
        parts = [svg.line(LEFT, TOP + HEIGHT, self.right, TOP + HEIGHT, "axis")]
        found = powers(self.low, self.high)
        for tick in found[:: -(-len(found) // MOST_TICKS)]:
            parts += [
                svg.line(LEFT, self.y(tick), self.right, self.y(tick), "grid"),
                svg.label(LEFT - 8, self.y(tick) + 5, _ON_AXIS[self.plot.unit](tick), "soft end"),
            ]
        every = max(-(-(len(self.counts) - 1) // (MOST_TICKS - 1)), 1)
        for place, count in enumerate(self.counts):
            x = self.x(count)
            parts.append(svg.line(x, TOP + HEIGHT, x, TOP + HEIGHT + 5, "axis"))
            if (len(self.counts) - 1 - place) % every == 0:
                parts.append(svg.label(x, TOP + HEIGHT + 22, f"{count:,}", _aligned(place, len(self.counts))))
        return [*parts, svg.label(svg.LEFT, TOP + HEIGHT + 22, "devices", "soft")]

    def bound(self, bound: Bound) -> str:
        return svg.line(LEFT, self.y(bound.value), self.right, self.y(bound.value), "bound")

    def name(self, bound: Bound) -> str:
        return svg.label(self.right + 6, self.y(bound.value) + 5, bound.name, "over")

    def curve(self, shade: int, curve: Curve) -> list[str]:
        points = [(count, value) for count, value in curve.points if value]
        if not points:
            return []
        path = "L".join(f"{svg.number(self.x(count))} {svg.number(self.y(value))}" for count, value in points)
        return [
            svg.tag("path", d=f"M{path}", class_=f"s{shade}", stroke_dasharray=_DASHES[shade] or "none"),
            *(
                svg.tag(
                    "path",
                    svg.tag(
                        "title",
                        svg.printable(f"{svg.cut(curve.name)}, {_devices(count)}: {_IN[self.plot.unit](value)}"),
                    ),
                    d=_MARKS[shade],
                    class_=f"f{shade} edge",
                    transform=f"translate({svg.number(self.x(count))} {svg.number(self.y(value))})",
                )
                for count, value in points
            ),
        ]


def _aligned(place: int, count: int) -> str:
    return "soft mid" if 0 < place < count - 1 or count == 1 else "soft end" if place else "soft"

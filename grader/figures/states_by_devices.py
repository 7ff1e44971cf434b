"""Model states on a device over the number of devices, against devices of 32 and 80 GB."""

from __future__ import annotations

from grader.course import Course
from grader.devices.hardware import A100
from grader.pictures import Bound, Curve, Plot, curves
from grader.pictures.curves import describe
from grader.scale import Model

from ._figure import Figure
from ._steps import NAMES, at_rest

MODEL = Model(7_500_000_000, 12, A100)
DEVICES = tuple(2**power for power in range(11))
BOUNDS = (Bound("80 GB", 80e9), Bound("32 GB", 32e9))


def draw(course: Course) -> Figure:
    """Make the model at each stage on each number of devices, and plot what is kept between steps."""
    plot = Plot(
        "Model states on each device, 7.5 · 10⁹ parameters",
        "bytes",
        tuple(
            Curve(name, tuple((count, sum(at_rest(MODEL, stage, count).values())) for count in DEVICES))
            for stage, name in NAMES.items()
        ),
        BOUNDS,
    )
    return Figure(plot.title, describe(plot), curves(plot))

"""Memory of one device during a training step: data parallelism and the three stages, at one scale."""

from __future__ import annotations

import itertools

from grader.course import Course
from grader.devices.hardware import A100
from grader.pictures import Panel, Panels, Phase, in_bytes, panels
from grader.results import Timeline
from grader.scale import STAGES, Model
from grader.strategies import load

from ._figure import Figure
from ._steps import NAMES, Step, step

MODEL, DEVICES = Model(7_500_000_000, 12, A100, rows=4096), 8
# From the lowest up, with the shade that each has in the picture.
AREAS = (
    ("parameters", 0),
    ("gradients", 1),
    ("optimizer state", 4),
    ("a layer in use, activations", 5),
)


def draw(course: Course) -> Figure:
    """Train at each stage, and read the memory of rank 0 from the ledger."""
    steps = {stage: step(MODEL, stage, DEVICES) for stage in NAMES}
    end = max(span.end for each in steps.values() for span in each.run.timeline(0).spans)
    made = {stage: _panel(stage, each, end) for stage, each in steps.items()}
    drawn = Panels(
        "Memory of a device during a training step",
        f"7.5 · 10⁹ parameters on {DEVICES} devices",
        " ".join(_describe(made[stage], each) for stage, each in steps.items()),
        AREAS,
        tuple(made.values()),
        f"time, on simulated {A100.name}s",
        bound=(in_bytes(A100.memory), A100.memory),
    )
    return Figure(f"{drawn.title}, {drawn.subtitle}", drawn.description, panels(drawn))


def _panel(stage: str, made: Step, end: float) -> Panel:
    timeline = made.run.timeline(0)
    rest = sum(made.at_rest.values())
    return Panel(
        NAMES[stage],
        f"{in_bytes(rest)} at rest, {in_bytes(max(timeline.bytes))} at the peak",
        (
            *(tuple(kept for _ in timeline.bytes) for kept in made.at_rest.values()),
            tuple(count - rest for count in timeline.bytes),
        ),
        timeline.seconds,
        end,
        _phases(stage, timeline),
    )


def _phases(stage: str, timeline: Timeline) -> tuple[Phase, ...]:
    """Each layer multiplies matrices once in the forward pass and twice in the backward pass. The first are named."""
    products = [span.end for span in timeline.spans if span.label == "matmul"]
    forward, backward = products[MODEL.layer_count - 1], products[-1]
    if "gradients" in load(stage).plan.divided:
        backward = max(span.end for span in timeline.spans if span.label == "reduce_scatter_tensor")
    end = max(span.end for span in timeline.spans)
    names = ("forward", "backward", "update") if stage == STAGES[0] else ("", "", "")
    edges = itertools.pairwise((0.0, forward, backward, end))
    return tuple(Phase(name, *edge) for name, edge in zip(names, edges, strict=True))


def _describe(panel: Panel, made: Step) -> str:
    (parameters, gradients, states) = map(in_bytes, made.at_rest.values())
    over = f", above the line of {in_bytes(A100.memory)}" if panel.peak > A100.memory else ""
    return (
        f"{panel.name}: {panel.note}{over}; at rest {parameters} of parameters, {gradients} of gradients and {states} "
        "of optimizer state."
    )

"""One layer up close: lesson 10's reference gathers it, computes with it and releases it, forward and backward."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from grader.authoring.local import LocalStudent
from grader.authoring.measure import GATHERED, GRADIENTS, Run, measured
from grader.course import Course, CourseError
from grader.devices import RANK, per_rank
from grader.devices.hardware import A100
from grader.devices.ledger import Allocation
from grader.pictures import Panel, Panels, Phase, panels
from grader.scale import Model

from ._figure import Figure

SIDE, LAYERS, DEVICES, SHOWN = 2048, 8, 1024, 5
LEAD = 0.3
MODEL = Model(LAYERS * SIDE**2, LAYERS, A100)
LAYER = 2 * SIDE**2  # bytes of a whole weight
AREAS = (("pieces, activations (thin)", 5), ("a gathered weight", 0), ("a whole gradient", 1))

Windows = Mapping[str, range]


def draw(course: Course) -> Figure:
    """Run a step of the reference, and cut out of rank 0's ledger what one layer does."""
    steps = _Steps(_run(course))
    forward, backward = steps.forward(SHOWN - 1), steps.backward(SHOWN - 1)
    every = [(layer, _all(steps.forward(layer))) for layer in range(LAYERS)]
    every += [(layer, _all(steps.backward(layer))) for layer in reversed(range(LAYERS))]
    drawn = Panels(
        "Memory of a device that gathers, computes, releases",
        f"{LAYERS} equal layers of L bytes on {DEVICES:,} devices",
        _describe(steps, [places for _, places in every]),
        AREAS,
        (
            steps.panel(
                "The step",
                f"layers 1 to {LAYERS} forward, {LAYERS} to 1 backward",
                [(str(layer + 1), places) for layer, places in every],
            ),
            steps.panel(f"Layer {SHOWN} forward", "up close", _numbered(forward), LEAD),
            steps.panel(f"Layer {SHOWN} backward", "up close", _numbered(backward), LEAD),
        ),
        "allocations and releases in their order",
        unit=("L", LAYER),
    )
    return Figure(f"{drawn.title}, {drawn.subtitle}", drawn.description, panels(drawn))


def _all(steps: Windows) -> range:
    """From the first of the steps to the end of the last."""
    *_, last = steps.values()
    return range(steps["gather"].start, last.stop)


def _numbered(steps: Windows) -> list[tuple[str, range]]:
    """The steps as the lesson numbers them."""
    return [(f"{number} {name}", places) for number, (name, places) in enumerate(steps.items(), 1)]


def _describe(steps: _Steps, every: Sequence[range]) -> str:
    """``every``: where each layer is in use, forward and then backward."""
    forward, backward = (
        steps.told(max(steps.timeline.bytes[place] for places in passes for place in places))
        for passes in (every[:LAYERS], every[LAYERS:])
    )
    between = steps.told(max(steps.timeline.bytes[places.stop - 1] for places in every))
    closer = (
        f"Layer {SHOWN} {name}, after each step: {_after(steps, windows)}."
        for name, windows in (("forward", steps.forward(SHOWN - 1)), ("backward", steps.backward(SHOWN - 1)))
    )
    return " ".join(
        [
            "All numbers are above what is held at rest.",
            f"The step: a tooth for each layer, {forward} high in the forward pass and {backward} in the backward "
            f"pass; between two teeth {between}.",
            *closer,
        ]
    )


def _after(steps: _Steps, windows: Windows) -> str:
    return ", ".join(f"{name} {steps.told(steps.timeline.bytes[places.stop - 1])}" for name, places in windows.items())


def _run(course: Course) -> Run:
    """A training step at stage 3 by the reference."""
    reference = _reference(course)
    cluster = MODEL.cluster(DEVICES)
    shards: list[dict[str, Any]] = [{} for _ in cluster.ranks]
    for layer in MODEL.layers:
        wholes = [device.empty(layer.shape, "float16") for device in cluster.devices]
        for held, piece in zip(shards, cluster.run(reference.shard, per_rank(wholes), RANK, DEVICES), strict=True):
            held[layer.name] = piece
        del wholes
    batches = [[(device.zeros((1, SIDE), "float16"), device.zeros((1, SIDE), "float16"))] for device in cluster.devices]
    return measured(
        cluster, reference.train_step, MODEL.layers, per_rank(shards), per_rank(batches), cluster.world, 0.5
    )


def _reference(course: Course) -> Any:
    exercise = course.exercise("lesson10")
    if exercise.suite is None or exercise.edition:
        raise CourseError("this edition has no hidden suites, and with them no reference to draw from", course.file)
    return LocalStudent(exercise.suite / "reference", [exercise.folder / name for name in exercise.given])


class _Steps:
    """What rank 0 allocates and releases for each layer, by the places of these events in its timeline."""

    def __init__(self, run: Run) -> None:
        self.timeline = run.timeline(0)
        self.rest = run.before_on(0)
        self.allocated: dict[int, int] = {}
        self.released: dict[int, int] = {}
        for place, (_, event) in enumerate(run.ledger.timeline(0)):
            places = self.allocated if isinstance(event, Allocation) else self.released
            places[event.storage] = place
        gathers, reduces = (
            [share for share in (event.share(0) for event in run.ledger.collectives(operation)) if share is not None]
            for operation in ("all_gather_into_tensor", "reduce_scatter_tensor")
        )
        self.weights = [share.outputs[0] for share in gathers]
        self.gradients = [share.inputs[0] for share in reduces]

    def forward(self, layer: int) -> Windows:
        """The steps of a layer's forward pass, from 0."""
        return self._until_release(self.weights[layer])

    def backward(self, layer: int) -> Windows:
        """The steps of its backward pass: the layers come in reverse, after all forward passes."""
        steps = self._until_release(self.weights[2 * LAYERS - 1 - layer])
        gradient = self.gradients[LAYERS - 1 - layer]
        return {**steps, "reduce": range(steps["release"].stop, self.released[gradient] + 1)}

    def _until_release(self, weight: int) -> Windows:
        begin, end = self.allocated[weight], self.released[weight]
        return {"gather": range(begin, begin + 1), "compute": range(begin + 1, end), "release": range(end, end + 1)}

    def told(self, count: int) -> str:
        """Bytes as so many layers above what is held at rest."""
        return f"{(count - self.rest) / LAYER:.1f} L"

    def panel(self, name: str, note: str, steps: Sequence[tuple[str, range]], lead: float = 0) -> Panel:
        """A panel in which all steps are equally wide, and so are the events of one; ``lead`` is how it was before."""
        found = [(steps[0][1].start - 1, 0.0)] if lead else []
        found += [
            (place, lead + number + (place - places.start) / len(places))
            for number, (_, places) in enumerate(steps)
            for place in places
        ]
        parts = dict(self.timeline.parts)
        whole = parts[GATHERED], parts[GRADIENTS]
        others = tuple(total - sum(each) for total, *each in zip(self.timeline.bytes, *whole, strict=True))
        shown = tuple(tuple(counts[place] for place, _ in found) for counts in (others, *whole))
        phases = tuple(Phase(step, lead + number, lead + number + 1) for number, (step, _) in enumerate(steps))
        return Panel(name, note, shown, tuple(at for _, at in found), lead + len(steps), phases)

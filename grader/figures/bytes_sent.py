"""Bytes that a device sends in a step, by stage and by what it sends them for."""

from __future__ import annotations

from collections.abc import Sequence

from grader.course import Course
from grader.devices.hardware import A100
from grader.devices.ledger import Ledger
from grader.pictures import Bar, Bars, bars, in_bytes
from grader.scale import Model
from grader.strategies import load

from ._figure import Figure
from ._steps import NAMES, step

MODEL, DEVICES = Model(10**12, 4, A100), 1024
TIMES = "\N{MULTIPLICATION SIGN}"
# What is sent, and for what, with the shade that it has in the picture.
PARTS = {
    "all_reduce": ("all-reduce of gradients", 5),
    "reduce_scatter_tensor": ("reduce-scatter of gradients", 1),
    "update": ("all-gather after the update", 4),
    "forward": ("all-gather before forward", 0),
    "backward": ("all-gather before backward", 2),
}
MICRO_BATCHES = {1: "One micro-batch a step", 4: "Four micro-batches a step"}


def draw(course: Course) -> Figure:
    """Train at each stage, with one micro-batch and with four, and add up the ledger of rank 0."""
    groups = tuple((name, _bars(count)) for count, name in MICRO_BATCHES.items())
    drawn = Bars(
        "Bytes that each device sends in a step",
        f"10¹² parameters in 16 bits on {DEVICES:,} devices",
        " ".join([*(_describe(*group) for group in groups), _made_of(groups[0][1])]),
        tuple(PARTS.values()),
        groups,
    )
    return Figure(f"{drawn.title}, {drawn.subtitle}", drawn.description, bars(drawn))


def _bars(micro_batches: int) -> tuple[Bar, ...]:
    """A bar for each stage, with what it sends as a multiple of the first."""
    sent = {name: _sent(stage, micro_batches) for stage, name in NAMES.items()}
    first = sum(next(iter(sent.values())))
    return tuple(Bar(name, each, f"{sum(each) / first:.3g}{TIMES}") for name, each in sent.items())


def _sent(stage: str, micro_batches: int) -> tuple[int, ...]:
    """Bytes by what they are for, in the order of ``PARTS``."""
    ledger = step(MODEL, stage, DEVICES, micro_batches).run.ledger
    gathers = _gathers(ledger, load(stage).plan.gathers)
    return tuple(gathers[what] if what in gathers else ledger.bytes_sent(0, what) for what in PARTS)


def _gathers(ledger: Ledger, whens: Sequence[str]) -> dict[str, int]:
    """The bytes of all-gathers by when they come: each pass gathers every layer once, in the order of ``whens``."""
    found = dict.fromkeys(("update", "forward", "backward"), 0)
    for place, event in enumerate(ledger.collectives("all_gather_into_tensor")):
        share = event.share(0)
        found[whens[place // MODEL.layer_count % len(whens)]] += share.sent if share else 0
    return found


def _describe(name: str, rows: Sequence[Bar]) -> str:
    told = (f"{bar.name.lower()} {in_bytes(sum(bar.bytes))} ({bar.note})" for bar in rows)
    return f"{name}: {', '.join(told)}."


def _made_of(rows: Sequence[Bar]) -> str:
    """What the parts of each bar are; bars of the same parts are told together."""
    alike: dict[str, list[str]] = {}
    for bar in rows:
        parts = [name for (name, _), count in zip(PARTS.values(), bar.bytes, strict=True) if count]
        alike.setdefault(", ".join(parts), []).append(bar.name)
    return " ".join(f"{' and '.join(names)}: {parts}." for parts, names in alike.items())

"""See what your functions cost at a trillion parameters."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from grader.cli._failures import MISSING

if TYPE_CHECKING:
    from grader.scale import Chip, Cost, Learner, Link, Model, Run

Named = TypeVar("Named")
MOST_DEVICES = 2**20
UNITS = ("B", "kB", "MB", "GB", "TB", "PB")


def _whole(ctx: click.Context, param: click.Parameter, value: str) -> int:
    """A whole number, also written as 1e12."""
    try:
        number = float(value)
    except ValueError:
        raise click.BadParameter(f"{value} is not a number, such as 1e12") from None
    if not 1 <= number <= 1e15 or number != int(number):
        raise click.BadParameter(f"{value} is not a whole number from 1 to 1e15")
    return int(number)


def _numbers(ctx: click.Context, param: click.Parameter, value: str) -> tuple[int, ...]:
    """One number of devices, several with commas, or a range, in which each is twice the one before."""
    first, dots, last = value.partition("..")
    try:
        found = _doubled(int(first), int(last)) if dots else tuple(map(int, value.split(",")))
    except ValueError:
        raise click.BadParameter(f"{value}: a number of devices, or several as in 8,64 or in 8..4096") from None
    if not found or min(found) < 1 or max(found) > MOST_DEVICES:
        raise click.BadParameter(f"{value}: from 1 to {MOST_DEVICES:,} devices")
    return found


def _chip(ctx: click.Context, param: click.Parameter, value: str) -> Chip:
    from grader.scale import CHIPS

    return _named(value, {each.name.lower(): each for each in CHIPS})


def _link(ctx: click.Context, param: click.Parameter, value: str) -> Link:
    from grader.scale import LINKS

    known = {"-".join(each.name.lower().removesuffix(" gb/s").split()): each for each in LINKS}
    return _named(value, known)


def _named(name: str, known: Mapping[str, Named]) -> Named:
    if name.lower() not in known:
        raise click.BadParameter(f"{name} is not known; there are {', '.join(known)}")
    return known[name.lower()]


def _doubled(first: int, last: int) -> tuple[int, ...]:
    """The numbers from ``first`` to ``last``, each twice the one before.

    >>> _doubled(8, 64)
    (8, 16, 32, 64)
    """
    found = []
    while 1 <= first <= min(last, MOST_DEVICES):
        found.append(first)
        first *= 2
    return tuple(found)


@click.command("scale")
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option("--exercise", metavar="ID", help="Which exercise PATH is work on, if it does not say so itself.")
@click.option("--parameters", callback=_whole, default="1e12", show_default=True, help="Of the whole model.")
@click.option("--layers", type=click.IntRange(1, 2048), default=128, show_default=True, help="Equal, square layers.")
@click.option("--devices", callback=_numbers, default="1024", show_default=True, help="How many; 8..4096 for a sweep.")
@click.option("--chip", metavar="NAME", callback=_chip, default="H100", show_default=True, help="Or A100, H200, B200.")
@click.option(
    "--link", metavar="NAME", callback=_link, default="infiniband-ndr", show_default=True, help="What joins nodes."
)
@click.option("--node", "node", type=click.IntRange(1), default=8, show_default=True, help="Devices in a node.")
@click.option("--rows", type=click.IntRange(1), default=1, show_default=True, help="Of the batch of each device.")
@click.option(
    "--unit", type=click.IntRange(1), default=1, show_default=True, help="Layers that the stages gather at a time."
)
@click.option("--prefetch", is_flag=True, help="Let the stages gather the next unit while they compute.")
@click.option("--format", type=click.Choice(["json", "text"]), default="text", show_default=True, help="How to report.")
@click.option("--svg", metavar="FILE", type=click.Path(path_type=Path), help="Draw your step, or a sweep, to FILE.")
@click.option("--trace", metavar="FILE", type=click.Path(path_type=Path), help="Write your step for Perfetto to FILE.")
def command(
    path: Path,
    exercise: str | None,
    parameters: int,
    layers: int,
    devices: tuple[int, ...],
    chip: Chip,
    link: Link,
    node: int,
    rows: int,
    unit: int,
    prefetch: bool,
    format: str,
    svg: Path | None,
    trace: Path | None,
) -> int:
    """Run the functions in PATH at a size that nobody has at home, beside the stages of ZeRO.

    Nothing is computed: arrays have shapes and bytes, and no values. PATH is as for `course grade`.
    """
    from grader.cli._files import write_atomically
    from grader.cli._target import find_target
    from grader.pictures import step
    from grader.runner.submission import read_submission
    from grader.scale import NEEDED, CannotRun, Learner, Model, chrome_trace

    target = find_target(path, exercise)
    missing = [name for name in NEEDED if name not in (each.name for each in target.exercise.functions)]
    if missing:
        raise click.UsageError(f"{target.exercise.id} has no {' and no '.join(missing)}: there is nothing to scale.")
    model = Model(parameters, layers, chip, link, node, rows, unit, prefetch)
    submission = read_submission(target.path, target.exercise)
    try:
        with Learner.of(submission, target.exercise) as learner:
            costs, first = _measured(learner, model, devices)
    except CannotRun as error:
        click.echo(error, err=True)
        return MISSING
    if trace is not None:
        write_atomically(trace, chrome_trace(first.ledger, dict(zip(first.ranks, first.before, strict=True))).encode())
    if svg is not None:
        timeline = first.timeline(costs[0].rank, chip.memory)
        write_atomically(svg, (_picture(model, costs) if len(devices) > 1 else step(timeline)).encode())
    if format == "json":
        click.echo(json.dumps(_plain(model, costs), indent=2))
    else:
        click.echo("\n".join(_lines(model, costs, devices)))
    return 0


def _measured(learner: Learner, model: Model, devices: Sequence[int]) -> tuple[list[Cost], Run]:
    """For each number of devices what all ways cost, the learner's first, and the learner's run on the first number."""
    from grader.scale import STAGES, stage

    costs: list[Cost] = []
    runs: list[Run] = []
    try:
        for count in devices:
            _progress(f"{count:,} devices: your functions")
            cost, run = learner.cost(model, count)
            costs.append(cost)
            runs = runs or [run]
            for name in STAGES:
                _progress(f"{count:,} devices: {name}")
                costs.append(stage(name, model, count))
    finally:
        _progress("")
    return costs, runs[0]


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()


def _plain(model: Model, costs: Sequence[Cost]) -> dict[str, Any]:
    return {
        "parameters": model.parameters,
        "layers": model.layer_count,
        "layer": [model.side, model.side],
        "layers_per_unit": model.layers_per_unit,
        "prefetch": model.prefetch,
        "chip": asdict(model.chip),
        "costs": [{**asdict(cost), "rest": cost.rest, "fits": cost.fits} for cost in costs],
    }


def _lines(model: Model, costs: Sequence[Cost], devices: Sequence[int]) -> Iterator[str]:
    side = f"{model.side:,}"
    yield f"{model.parameters:.4g} parameters in {model.layer_count} layers of {side} x {side}, 16 bits, Adam"
    batch = "a batch of one row" if model.rows == 1 else f"batches of {model.rows:,} rows"
    yield f"{model.chip.name} with {_bytes(model.chip.memory)} each, {model.devices_per_node} in a node, {batch}"
    if model.layers_per_unit > 1 or model.prefetch:
        ahead = ", the next unit ahead of its turn" if model.prefetch else ""
        units = "one layer" if model.layers_per_unit == 1 else f"{model.layers_per_unit} layers"
        yield f"The stages gather units of {units}{ahead}"
    if len(devices) == 1:
        yield ""
        yield from _one(costs, devices[0])
    else:
        yield from _sweep(costs, devices)
    yield ""
    yield "Beside your pieces lies an optimizer's state: 12 bytes a parameter, as Adam's."
    yield "Temporaries are what no collective had, such as a gradient before its padding."


def _one(costs: Sequence[Cost], devices: int) -> Iterator[str]:
    """A row for each number, a column for each way."""
    rows = [[f"{devices:,} devices", *(cost.name for cost in costs)]]
    rows.append(["bytes at rest", *(_bytes(cost.rest) for cost in costs)])
    for name in ("parameters", "gradients", "optimizer"):
        rows.append([f"  {name}", *(_bytes(cost.at_rest[name]) for cost in costs)])
    rows.append(["bytes at peak", *(_bytes(cost.peak) for cost in costs)])
    rows += [[f"  {name}", *(_bytes(cost.at_peak[name]) for cost in costs)] for name in costs[0].at_peak]
    rows.append([f"fits in {_bytes(costs[0].memory)}", *("yes" if cost.fits else "no" for cost in costs)])
    rows.append(["bytes sent in a step", *(_bytes(cost.sent) for cost in costs)])
    names = sorted({name for cost in costs for name in cost.collectives})
    rows += [[f"  {name}", *(f"{cost.collectives.get(name, 0):,}" for cost in costs)] for name in names]
    rows.append(["time of a step", *(_seconds(cost.seconds) for cost in costs)])
    rows.append(["  communicating", *(f"{cost.communication_share:.0%}" for cost in costs)])
    rows.append(["  waiting for it", *(f"{cost.waiting_share:.0%}" for cost in costs)])
    yield from _table(rows)


def _sweep(costs: Sequence[Cost], devices: Sequence[int]) -> Iterator[str]:
    """A table for each number: a row for each number of devices, a column for each way."""
    names = list(dict.fromkeys(cost.name for cost in costs))
    at = {(cost.name, cost.devices): cost for cost in costs}
    shown: Mapping[str, Callable[[Cost], str]] = {
        "bytes at rest": lambda cost: _bytes(cost.rest),
        "bytes at peak": lambda cost: _bytes(cost.peak) + (" " if cost.fits else "!"),
        "bytes sent": lambda cost: _bytes(cost.sent),
        "time of a step": lambda cost: _seconds(cost.seconds),
        "communicating": lambda cost: f"{cost.communication_share:.0%}",
        "waiting for it": lambda cost: f"{cost.waiting_share:.0%}",
    }
    for title, show in shown.items():
        yield ""
        rows = [[title, *names]]
        rows += [[f"{count:,}", *(show(at[name, count]) for name in names)] for count in devices]
        yield from _table(rows)
    yield ""
    yield f"! does not fit in {_bytes(costs[0].memory)}"


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        first, *others = row
        cells = [first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))]
        yield "  ".join(cells).rstrip()


def _picture(model: Model, costs: Sequence[Cost]) -> str:
    from grader.pictures import Bound, Curve, Plot, curves

    names = list(dict.fromkeys(cost.name for cost in costs))
    drawn = [
        Curve(name, tuple((cost.devices, float(cost.peak)) for cost in costs if cost.name == name)) for name in names
    ]
    return curves(
        Plot(
            f"Memory at the peak of a step, {model.parameters:.4g} parameters",
            "bytes",
            tuple(drawn),
            (Bound(f"{model.chip.name}, {_bytes(model.chip.memory)}", float(model.chip.memory)),),
        )
    )


def _bytes(count: float) -> str:
    """Bytes with a decimal unit.

    >>> _bytes(0), _bytes(15_624_877_088), _bytes(999_999)
    ('0 B', '15.6 GB', '1 MB')
    """
    unit = 0
    while float(f"{count:.3g}") >= 1000 and unit < len(UNITS) - 1:
        count /= 1000
        unit += 1
    return f"{float(f'{count:.3g}'):g} {UNITS[unit]}"


def _seconds(seconds: float) -> str:
    """Seconds with a unit.

    >>> _seconds(129.3), _seconds(0.00425)
    ('129 s', '4.25 ms')
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{float(f'{seconds / size:.3g}'):g} {unit}"
    return f"{float(f'{seconds / 1e-6:.3g}'):g} us"

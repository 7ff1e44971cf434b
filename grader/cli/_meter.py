"""How far a run over a class is: a bar on a terminal, else a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import click

from grader.batch.run import Progress, Step

EVERY_SECONDS = 10.0


@contextmanager
def meter(total: int) -> Iterator[Progress]:
    """What is to be told of each step."""
    started = time.monotonic()
    if sys.stderr.isatty():
        with _bar(total, started) as told:
            yield told
    else:
        yield _Lines(started)


class _Lines:
    """Lines for a log."""

    def __init__(self, started: float) -> None:
        self._started = self._last = started

    def __call__(self, step: Step) -> None:
        now = time.monotonic()
        if now - self._last >= EVERY_SECONDS:
            self._last = now
            click.echo(said(step, now - self._started), err=True)


@contextmanager
def _bar(total: int, started: float) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = BarColumn(bar_width=18), TextColumn("{task.description}")
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(said(Step(total), 0), total=total)
        yield lambda step: bar.update(task, completed=step.done, description=said(step, time.monotonic() - started))


def said(step: Step, seconds: float) -> str:
    """How far a run is after ``seconds``: its rate is that of what had to be graded.

    >>> said(Step(200, graded=90, unchanged=10), 2.0)
    '100 of 200, 45 a second, 2 s left'
    >>> said(Step(20_000, graded=97, refused=1, faults=2), 200.0)
    '100 of 20,000, 0.5 a second, 11 h 03 min left, faults: 2'
    >>> said(Step(10_000, graded=5_000), 4.0)
    '5,000 of 10,000, 1,250 a second, 4 s left'
    """
    parts = [f"{step.done:,} of {step.total:,}"]
    graded = step.done - step.unchanged
    if graded and seconds and step.done < step.total:
        rate = graded / seconds
        parts += [
            f"{rate:,.0f} a second" if rate >= 10 else f"{rate:.2g} a second",
            f"{_duration((step.total - step.done) / rate)} left",
        ]
    if step.faults:
        parts.append(f"faults: {step.faults:,}")
    return ", ".join(parts)


def _duration(seconds: float) -> str:
    """Hours and minutes, or minutes and seconds.

    >>> _duration(59.6), _duration(3599), _duration(3600)
    ('1 min 00 s', '59 min 59 s', '1 h 00 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"

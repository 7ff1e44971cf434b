"""Times things in turn, so that whatever else the machine does falls on all of them alike, and prints tables."""

from __future__ import annotations

import os
import resource
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median

Run = Callable[[], float]


def in_turn(runs: Mapping[str, Run], repeats: int) -> dict[str, float]:
    """The median seconds of each run, taken in the order A B A B. What each costs the first time is left out."""
    for run in runs.values():
        run()
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(repeats):
        for name, run in runs.items():
            seconds[name].append(run())
    return {name: median(each) for name, each in seconds.items()}


def timed(act: Callable[[], object]) -> Run:
    """A run that is one call of ``act``."""

    def run() -> float:
        start = time.perf_counter()
        act()
        return time.perf_counter() - start

    return run


def command(
    arguments: Sequence[str | Path],
    *,
    cwd: Path,
    codes: Sequence[int] = (0,),
    environment: Mapping[str, str] | None = None,
) -> Run:
    """A run that is one process, whose exit code must be one of ``codes``.

    Plugins of pytest that happen to be installed stay out of it.
    """
    around = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": "", **(environment or {})}

    def act() -> None:
        ended = subprocess.run(arguments, cwd=cwd, env=around, capture_output=True, text=True, check=False)
        if ended.returncode not in codes:
            raise RuntimeError(f"{arguments} ended with {ended.returncode}:\n{ended.stdout}{ended.stderr}")

    return timed(act)


def processor(
    arguments: Sequence[str | Path],
    *,
    cwd: Path,
    codes: Sequence[int] = (0,),
    environment: Mapping[str, str] | None = None,
) -> Run:
    """A run that is one process, in seconds of the processor that it and its children took."""
    run = command(arguments, cwd=cwd, codes=codes, environment=environment)

    def act() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime

    return act


def scaled(seconds: float) -> str:
    """Seconds with a unit that suits their size.

    >>> scaled(1.234), scaled(0.0567), scaled(0.0000021)
    ('1.23 s', '56.7 ms', '2.1 µs')
    """
    if seconds >= 1:
        return f"{seconds:.2f} s"
    return f"{seconds * 1e3:.1f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.1f} µs"


def print_table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table: the first column to the left, the others to the right."""
    widths = [max(len(row[column]) for row in (header, *rows)) for column in range(len(header))]
    print(f"\n{title}\n")
    for row in (header, ["-" * width for width in widths], *rows):
        first, *others = (
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        print("  ".join((first, *others)).rstrip())

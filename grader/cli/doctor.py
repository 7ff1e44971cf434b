"""Try what holds a submission in on this machine, and say what that means."""

from __future__ import annotations

import json
import shutil
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from grader.cli._options import FENCES
from grader.cli._terminal import wants_colour

if TYPE_CHECKING:
    from grader.runner.doctor import Attempt, Examination

WIDEST = 100
WHAT = {
    "rlimits": "bounds on memory, files and threads",
    "user": "a user of its own, without privileges",
    "landlock": "no files but those of Python, and none to write",
    "seccomp": "no network, no processes, no signals: only what Python needs of the system",
    "namespaces": "a view of the machine in which there is nothing else",
    "cgroup": "bounds on memory and processes, however they are claimed",
}


@click.command("doctor")
@FENCES
@click.option("--format", type=click.Choice(["json", "text"]), default="text", show_default=True, help="How to report.")
@click.option("--verbose", is_flag=True, help="List every attempt, those that were stopped, too.")
def command(fences: str, format: str, verbose: bool) -> int:
    """Try to get across every fence that holds a submission in, and say which hold.

    Ends with 0 if all of them do, 1 if one is missing or was crossed, 3 if one that is there did not come up.
    """
    from grader.runner import GraderFault
    from grader.runner.doctor import examine
    from grader.runner.handle import WorkerFault

    try:
        found = examine(strict=fences == "strict")
    except WorkerFault as error:
        raise GraderFault(str(error)) from None
    if format == "json":
        click.echo(json.dumps({**asdict(found), "holds": found.holds}, indent=2))
    else:
        width = min(shutil.get_terminal_size((80, 0)).columns, WIDEST)
        click.echo("\n".join(_lines(found, verbose, width)), color=wants_colour())
    return 0 if found.holds else 1


def _lines(found: Examination, verbose: bool, width: int) -> Iterator[str]:
    names = {"course": "course", "python": "Python", "numpy": "NumPy", "pytest": "pytest"}
    yield ", ".join(f"{name} {found.versions[key]}" for key, name in names.items())
    yield f"{found.system}, as {found.user}"
    yield ""
    yield "What holds a submission in"
    for name in found.fences:
        yield from _row("up", name, WHAT.get(name, ""), 10, width, "green")
    for each in found.missing:
        yield from _row("missing", each.name, each.reason, 10, width, "yellow")
    yield ""
    stopped = len(found.attempts) - len(found.crossed)
    yield f"What it did about a submission that tries to get out: {stopped} of {len(found.attempts)} attempts stopped"
    for meaning in dict.fromkeys(attempt.meaning for attempt in found.crossed):
        yield from _crossed([attempt for attempt in found.crossed if attempt.meaning == meaning], width)
    if verbose:
        stopped_ones = [attempt for attempt in found.attempts if attempt.stopped_by is not None]
        longest = max((len(attempt.name) for attempt in stopped_ones), default=0)
        for attempt in stopped_ones:
            yield from _row("stopped", attempt.name, attempt.stopped_by or "", longest, width, "green")
    yield ""
    yield from textwrap.wrap(_meaning(found), width)


def _crossed(attempts: Sequence[Attempt], width: int) -> Iterator[str]:
    """Attempts that mean the same."""
    others = " or ".join(dict.fromkeys(fence for attempt in attempts for fence in attempt.fences))
    text = f"{', '.join(attempt.name for attempt in attempts)}: {attempts[0].meaning}. {others} would stop it."
    yield from _row("CROSSED", "", text, 0, width, "red")


def _row(word: str, name: str, text: str, longest: int, width: int, colour: str) -> Iterator[str]:
    left = f"  {word:<9}" + (f"{name:<{longest}}  " if name else "")
    first, *more = textwrap.wrap(text, width - len(left)) or [""]
    yield left.replace(word, click.style(word, fg=colour), 1) + first
    for line in more:
        yield " " * len(left) + line


def _meaning(found: Examination) -> str:
    if found.holds:
        return "Everything holds: work of people whom you do not trust can be graded here."
    if not found.crossed:
        return (
            "Nothing got out. What is missing would be a further layer behind those that hold: work of people whom you "
            "do not trust can be graded here."
        )
    return (
        "Not everything holds. Points are still out of a submission's reach, since another process makes them, but "
        "this machine and a hidden suite on it are not: grade work of people whom you trust, or mend what is missing."
    )

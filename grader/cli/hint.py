"""Give one more hint on a function."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import click

from grader.cli._files import write_atomically
from grader.cli._state import state_file
from grader.cli._target import Target, find_target

WIDTH = 80


@click.command("hint")
@click.argument("path", type=click.Path(path_type=Path))
@click.argument("function")
@click.option("--exercise", metavar="ID", help="Which exercise PATH is work on, if it does not say so itself.")
@click.option("--again", is_flag=True, help="Show the hints that you have seen.")
@click.option("--reset", is_flag=True, help="Forget which hints you have seen.")
def command(path: Path, function: str, exercise: str | None, again: bool, reset: bool) -> None:
    """Show one more hint on FUNCTION each time. PATH is a folder of work, or the id of an exercise."""
    target = find_target(path, exercise)
    hints = target.function(function).hints
    seen = _Seen(target.exercise.id, function)
    if reset:
        seen.count = 0
        click.echo(f"{function}: hints start from the first again.")
        return
    shown = min(seen.count, len(hints))
    if again:
        if not shown:
            click.echo(f"{function}: no hint seen yet.")
        for number in range(shown):
            click.echo(_hint(function, number, hints))
    elif shown < len(hints):
        click.echo(_hint(function, shown, hints))
        shown += 1
        seen.count = shown
    else:
        click.echo(f"{function}: you have seen all {len(hints)}. `--again` shows them.")
    click.echo(_next(target, function, shown, len(hints)))


def _hint(function: str, number: int, hints: tuple[str, ...]) -> str:
    text = textwrap.fill(hints[number], WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
    return f"{function}, hint {number + 1} of {len(hints)}\n\n{text}\n"


def _next(target: Target, function: str, shown: int, total: int) -> str:
    if shown < total:
        return f"More   course hint {target.arguments} {function}"
    file = target.function(function).file
    return (
        f"That was the last hint. Read the lesson and the docstring in {file} once more, then\n"
        f"Next   course grade {target.arguments} --only {function}"
    )


class _Seen:
    """How many hints on one function were shown, kept in the user's state folder."""

    def __init__(self, exercise: str, function: str) -> None:
        self.file = state_file("hints.json")
        self.key = f"{exercise}/{function}"

    @property
    def count(self) -> int:
        count = self._load().get(self.key)
        return count if isinstance(count, int) and count > 0 else 0

    @count.setter
    def count(self, count: int) -> None:
        counts = self._load() | {self.key: count}
        try:
            write_atomically(self.file, json.dumps(counts, indent=2, sort_keys=True).encode())
        except OSError as error:
            click.echo(f"This hint will come again: {self.file} cannot be written: {error.strerror}.", err=True)

    def _load(self) -> dict[str, Any]:
        """Everything remembered; a file that is missing or broken remembers nothing."""
        try:
            counts = json.loads(self.file.read_bytes())
        except (OSError, ValueError, RecursionError):
            return {}
        return counts if isinstance(counts, dict) else {}

"""Start one function over; a copy of your work stays."""

from __future__ import annotations

import itertools
from pathlib import Path

import click

from grader.cli._files import write_atomically
from grader.cli._target import find_target
from grader.course import CourseError


@click.command("reset")
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.argument("function")
@click.option("--exercise", metavar="ID", help="Which exercise PATH is work on, if it does not say so itself.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def command(path: Path, function: str, exercise: str | None, yes: bool) -> None:
    """Put the stub of FUNCTION back into the folder PATH. Your file stays beside it as a .bak."""
    target = find_target(path, exercise)
    name = target.function(function).file
    pristine = target.exercise.pristine(name)
    try:
        stub = pristine.read_bytes()
    except OSError as error:
        raise CourseError(f"cannot be read: {error.strerror}", pristine) from None
    file = target.folder / name
    try:
        old = file.read_bytes() if file.exists() else None
        if old == stub:
            click.echo(f"{file} is the stub already.")
            return
        others = [other.name for other in target.exercise.functions if other.file == name and other.name != function]
        also = f", and with it {', '.join(others)}" if others else ""
        if not yes and not click.confirm(f"Start {function} over in {file}{also}?"):
            click.echo("Nothing was changed.")
            return
        kept = None if old is None else _keep(file, old)
        write_atomically(file, stub)
    except OSError as error:
        raise click.UsageError(f"{error.filename or file} cannot be written: {error.strerror}.") from None
    click.echo(f"{file} is a stub again." + ("" if kept is None else f" Your work is in {kept}."))


def _keep(file: Path, content: bytes) -> Path:
    """Write ``content`` beside ``file`` under the next free number."""
    for number in itertools.count(1):
        copy = file.with_name(f"{file.name}.{number}.bak")
        try:
            with copy.open("xb") as stream:
                stream.write(content)
        except FileExistsError:
            continue
        return copy
    raise AssertionError("numbers do not end")

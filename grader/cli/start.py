"""Copy an exercise's stubs into a folder of your own."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from grader.cli._files import write_new
from grader.cli._names import unknown
from grader.course import Course, CourseError, Exercise

BRIEF = "README.md"


@click.command("start")
@click.argument("exercise")
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
def command(exercise: str, folder: Path) -> None:
    """Copy the brief, the stubs and the given files of EXERCISE into DIR. Never overwrites a file."""
    course = Course.find(Path.cwd())
    ids = course.exercises()
    if exercise not in ids:
        raise unknown(f"no exercise is called {exercise!r}", exercise, ids)
    found = course.exercise(exercise)
    _copy(_contents(found), folder)
    first = found.functions[0]
    extra = "" if folder.absolute().name == found.id else f" --exercise {found.id}"
    place = shlex.quote(str(folder))
    click.echo(f"{found.id} is in {folder}. Read {folder / BRIEF} first.\n")
    click.echo(f"Next   write {first.name} in {folder / first.file}, then")
    click.echo(f"       course grade {place}{extra} --only {first.name}")


def _contents(exercise: Exercise) -> dict[str, bytes]:
    sources = {BRIEF: exercise.folder / BRIEF}
    sources |= {name: exercise.folder / name for name in exercise.given}
    sources |= {name: exercise.pristine(name) for name in exercise.files}
    try:
        return {name: source.read_bytes() for name, source in sources.items()}
    except OSError as error:
        raise CourseError(f"cannot be read: {error.strerror}", Path(error.filename)) from None


def _copy(contents: dict[str, bytes], folder: Path) -> None:
    """Write all of ``contents`` as new files into ``folder``, or none of them."""
    taken = [name for name in contents if (folder / name).exists()]
    if taken:
        raise click.UsageError(f"{folder} has {', '.join(taken)} already. Nothing was copied.")
    write_new({folder / name: content for name, content in contents.items()})

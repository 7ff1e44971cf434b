"""Draw the lessons' figures by running the code that they show."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from grader.course import Course

FOLDER = Path("lessons", "figures")


@click.command("figures")
@click.argument("names", metavar="[NAME...]", nargs=-1)
@click.option("--check", is_flag=True, help="Write nothing; end with 1 if a figure is not what the code draws now.")
def command(names: tuple[str, ...], check: bool) -> int:
    """Draw the figures NAME, or all, into lessons/figures of the course that you are in.

    Prints for each the line of Markdown that shows it, with its text for whoever does not see it.
    """
    from grader.cli._names import unknown
    from grader.figures import draw, figures

    known = figures()
    for name in names:
        if name not in known:
            raise unknown(f"no figure is called {name!r}", name, known)
    course = _course()
    drawn = {name: draw(name, course) for name in dict.fromkeys(names or known)}
    contents = {FOLDER / f"{name}.svg": figure.svg.encode() for name, figure in drawn.items()}
    if check:
        return _check(course.file.parent, contents, everything=not names)
    _write(course.file.parent, contents)
    for name, figure in drawn.items():
        click.echo(f"\n![{figure.alt}](figures/{name}.svg)")
    return 0


def _course() -> Course:
    from grader.course import Course

    here = Path.cwd()
    course = Course.find(here)
    if not here.is_relative_to(course.file.parent.absolute()):
        raise click.UsageError(f"{here} is in no course: change to a folder of one, with a course.yml at its top.")
    return course


def _write(root: Path, contents: dict[Path, bytes]) -> None:
    from grader.cli._files import write_atomically

    for path, content in contents.items():
        try:
            write_atomically(root / path, content)
        except OSError as error:
            raise click.UsageError(f"{path} cannot be written: {error.strerror}.") from None
        click.echo(path.as_posix())


def _check(root: Path, contents: dict[Path, bytes], everything: bool) -> int:
    """Hold the files to what was drawn; where that is ``everything``, there are no others."""
    stale = [path for path, content in contents.items() if _read(root / path) != content]
    for path in stale:
        click.echo(f"{path.as_posix()} is {'not what the code draws now' if (root / path).exists() else 'not there'}.")
    found = {file.relative_to(root) for file in (root / FOLDER).glob("*.svg")} if everything else set()
    others = sorted(found - contents.keys())
    for path in others:
        click.echo(f"{path.as_posix()} is drawn by nothing: delete it, and what shows it.")
    if stale:
        click.echo(f"Next   course figures {shlex.join(path.stem for path in stale)}")
    if not stale and not others:
        click.echo(f"{len(contents)} {'figure is' if len(contents) == 1 else 'figures are'} what the code draws now.")
    return int(bool(stale or others))


def _read(file: Path) -> bytes | None:
    from grader.course import CourseError

    try:
        return file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise CourseError(f"cannot be read: {error.strerror}", file) from None

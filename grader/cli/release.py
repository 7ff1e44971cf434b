"""Write the learners' edition: lessons, exercises, the tool, and the criteria that are visible."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from grader.course.exercise import Part


@click.command("release")
@click.argument("out", metavar="OUT", type=click.Path(path_type=Path))
@click.option("--exercise", "exercises", metavar="ID", multiple=True, help="Release this one only. May be repeated.")
def command(out: Path, exercises: tuple[str, ...]) -> int:
    """Write the learners' edition of the course into the folder OUT, which may be a repository.

    It has the lessons, the exercises as they begin, the tool, and of each suite what visible criteria need: no hidden
    criterion, no reference, no mutants. What a release wrote before is brought up to date; other files stay.

    Ends with 0 if it is written, 2 if a file stands in the way, 3 if something would tell what is hidden. In both of
    these nothing is changed.
    """
    from grader.cli._names import unknown
    from grader.course import Course
    from grader.release import ReleaseRefused, make_edition, write_release

    course = Course.find(Path.cwd())
    for id in exercises:
        if id not in course.exercises():
            raise unknown(f"no exercise is called {id!r}", id, course.exercises())
    edition = make_edition(course, exercises)
    try:
        written = write_release(out, edition.files)
    except ReleaseRefused as refused:
        raise click.UsageError(f"{refused}. Nothing was changed.") from None
    except OSError as error:
        raise click.UsageError(f"{error.filename or out} cannot be written: {error.strerror}.") from None
    for each in edition.exercises:
        click.echo(f"{each.id}: {_counted(each.here)}; graded elsewhere: {_counted(each.elsewhere)}")
    counts = f"{written.new} new, {written.changed} changed, {written.removed} removed"
    click.echo(f"{out}: {written.total} files, {counts}.")
    return 0


def _counted(part: Part) -> str:
    return f"{part.criteria} criteria, {part.points.normalize():f} points"

"""Write the learners' edition, with the criteria that are visible, or an autograder with all of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli._files import write_atomically

if TYPE_CHECKING:
    from grader.course import Course
    from grader.course.exercise import Part


@click.command("release")
@click.argument("out", metavar="OUT", type=click.Path(path_type=Path))
@click.option("--exercise", "exercises", metavar="ID", multiple=True, help="Release this one only. May be repeated.")
@click.option("--gradescope", is_flag=True, help="Write an autograder of one exercise for Gradescope: OUT is a zip.")
def command(out: Path, exercises: tuple[str, ...], gradescope: bool) -> int:
    """Write the learners' edition of the course into the folder OUT, which may be a repository.

    It has the lessons, the exercises as they begin, the tool, and of each suite what visible criteria need: no hidden
    criterion, no reference, no mutants. What a release wrote before is brought up to date; other files stay.

    Ends with 0 if it is written, 2 if a file stands in the way, 3 if something would tell what is hidden. In both of
    these nothing is changed.

    With --gradescope OUT is the zip that Gradescope asks for instead, with the whole suite: hand it to no learner.
    """
    from grader.cli._names import unknown
    from grader.course import Course
    from grader.release import ReleaseRefused

    course = Course.find(Path.cwd())
    for id in exercises:
        if id not in course.exercises():
            raise unknown(f"no exercise is called {id!r}", id, course.exercises())
    try:
        return _autograder(out, course, exercises) if gradescope else _edition(out, course, exercises)
    except ReleaseRefused as refused:
        raise click.UsageError(f"{refused}. Nothing was changed.") from None
    except OSError as error:
        raise click.UsageError(f"{error.filename or out} cannot be written: {error.strerror}.") from None


def _edition(out: Path, course: Course, exercises: tuple[str, ...]) -> int:
    from grader.release import make_edition, write_release

    edition = make_edition(course, exercises)
    written = write_release(out, edition.files)
    for each in edition.exercises:
        click.echo(f"{each.id}: {_counted(each.here)}; graded elsewhere: {_counted(each.elsewhere)}")
    counts = f"{written.new} new, {written.changed} changed, {written.removed} removed"
    click.echo(f"{out}: {written.total} files, {counts}.")
    return 0


def _autograder(out: Path, course: Course, exercises: tuple[str, ...]) -> int:
    from grader.release import ReleaseRefused, is_autograder, make_autograder

    if len(exercises) != 1:
        raise click.UsageError("--gradescope: an autograder is of one exercise; name it by --exercise.")
    if out.exists() and not is_autograder(out):
        raise ReleaseRefused(f"{out} was not written by a release and stands in the way")
    write_atomically(out, make_autograder(course, exercises[0]))
    click.echo(
        f"{out}: the autograder of {exercises[0]}, for Gradescope. It holds the whole suite: hand it to no learner."
    )
    return 0


def _counted(part: Part) -> str:
    return f"{part.criteria} criteria, {part.points.normalize():f} points"

"""Grade your work: what is wrong, where, and the next step."""

from __future__ import annotations

import dataclasses
import os
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli._failures import FAULT, MISSING
from grader.cli._files import write_atomically
from grader.cli._target import Target, find_target, suite_of
from grader.report import Options, formats, load
from grader.results import Criterion, Grade
from grader.runner.submission import SubmissionError, read_submission

if TYPE_CHECKING:
    from grader.runner import Grader

POLL = 0.25
QUIET = 1.0


@dataclasses.dataclass(frozen=True, slots=True)
class Request:
    """What was asked for on the command line."""

    target: Target
    format: str
    output: Path | None
    only: tuple[str, ...]
    seed: int
    verbose: bool
    timeline: bool


@click.command("grade")
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--exercise",
    metavar="ID",
    help="Which exercise PATH is work on. Needed for work of others: nothing in PATH decides then.",
)
@click.option("--format", type=click.Choice(formats()), default="text", show_default=True, help="How to report.")
@click.option("--output", metavar="FILE", type=click.Path(path_type=Path), help="Write the report to FILE.")
@click.option("--only", metavar="FUNCTION", multiple=True, help="Grade this function only. May be repeated.")
@click.option("--seed", type=int, default=1, show_default=True, help="Where random cases come from.")
@click.option("--verbose", is_flag=True, help="List every criterion, and every failure.")
@click.option("--timeline", is_flag=True, help="Draw memory over time where a criterion passed, too.")
@click.option("--watch", is_flag=True, help="Grade again whenever a file changes.")
def command(
    path: Path,
    exercise: str | None,
    format: str,
    output: Path | None,
    only: tuple[str, ...],
    seed: int,
    verbose: bool,
    timeline: bool,
    watch: bool,
) -> int:
    """Grade PATH: the folder of an exercise, or any folder or single file with --exercise.

    Ends with 0 if every point was earned, 1 if points are missing, 2 if there was nothing to grade, 3 if the suite
    or the grader is at fault.
    """
    target = find_target(path, exercise, check=False)
    for name in only:
        target.function(name)
    if output is not None and not output.absolute().parent.is_dir():
        raise click.UsageError(f"--output: the folder {output.parent} does not exist.")
    suite_of(target)
    request = Request(target, format, output, only, seed, verbose, timeline)
    submission = read_submission(path, target.exercise)

    from grader.runner import Grader

    # The grader's processes start first, so that they import while this one reads schemas and loads the report.
    with Grader(target.exercise) as grader:
        target.check()
        load(format)
        if watch:
            return _watch(grader, request)
        return _report(grader.grade(submission, seed=seed, only=only, progress=_progress()), request)


def _watch(grader: Grader, request: Request) -> int:
    """Grade, wait for a change, and again, until Ctrl-C; the exit code is the last grade's."""
    code = MISSING
    seen = None
    try:
        while True:
            now = _stamps(request.target)
            if now == seen:
                time.sleep(POLL)
                continue
            seen = now
            if sys.stdout.isatty() and request.output is None:
                click.clear()
            try:
                submission = read_submission(request.target.path, request.target.exercise)
            except SubmissionError as error:
                click.echo(f"{error}.", err=True)
            else:
                grade = grader.grade(submission, seed=request.seed, only=request.only, progress=_progress())
                code = _report(grade, request)
            click.echo("Watching for changes. Ctrl-C ends.", err=True)
    except KeyboardInterrupt:
        return code


def _stamps(target: Target) -> list[tuple[str, int, int]]:
    """What tells that a file of the exercise has changed, appeared or gone."""
    names = set(target.exercise.files) | {target.path.name}
    return sorted(stamp for name in names for stamp in _stamp(target.folder / name))


def _stamp(file: Path) -> Iterator[tuple[str, int, int]]:
    try:
        found = file.stat()
    except OSError:
        return
    yield file.name, found.st_mtime_ns, found.st_size


def _report(grade: Grade, request: Request) -> int:
    from grader.report import render

    grade = _with_command(grade, request.target)
    options = Options(verbose=request.verbose, timeline=request.timeline)
    if request.output is None:
        width = shutil.get_terminal_size((options.width, 0)).columns
        options = dataclasses.replace(options, width=width, colour=_wants_colour())
        click.echo(render(grade, request.format, options), nl=False, color=True)
    else:
        content = render(grade, request.format, options).encode("utf-8", "backslashreplace")
        try:
            write_atomically(Path(os.path.realpath(request.output)), content)
        except OSError as error:
            raise click.UsageError(f"{request.output} cannot be written: {error.strerror}.") from None
        click.echo(_summary(grade, request.output))
    if grade.faulty:
        return FAULT
    return 0 if grade.complete else MISSING


def _summary(grade: Grade, output: Path) -> str:
    points = "no score" if grade.faulty else f"{grade.earned:f} of {grade.points:f} points"
    return f"{grade.exercise}: {points}. The report is in {output}."


def _with_command(grade: Grade, target: Target) -> Grade:
    """Let the next step name the path that was given here."""
    if grade.next is None:
        return grade
    command = f"course grade {target.arguments} --only {grade.next.function}"
    return dataclasses.replace(grade, next=dataclasses.replace(grade.next, command=command))


def _wants_colour() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


class _Progress:
    """A line on the terminal that says what is being tried, once a run takes longer than a second."""

    def __init__(self) -> None:
        self.started = time.monotonic()

    def __call__(self, criterion: Criterion, done: int, total: int) -> None:
        if time.monotonic() - self.started < QUIET:
            return
        line = f"{done} of {total}  {criterion.function}"
        sys.stderr.write("\r\x1b[K" + (line if done < total else ""))
        sys.stderr.flush()


def _progress() -> _Progress | None:
    return _Progress() if sys.stderr.isatty() else None

"""What ``course grade`` does once its processes have started."""

from __future__ import annotations

import dataclasses
import os
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import click

import grader.runner
from grader.cli._failures import FAULT, MISSING
from grader.cli._files import append_report, nearest, real, require_folder, write_report
from grader.cli._target import Target, find_target, suite_of
from grader.cli._terminal import wants_colour
from grader.report import Options, load, render
from grader.results import Grade
from grader.runner import Grader
from grader.runner.start import Processes
from grader.runner.submission import Submission, SubmissionError, read_submission

POLL = 0.25
QUIET = 1.0


@dataclasses.dataclass(frozen=True, slots=True)
class Request:
    """What was asked for on the command line."""

    path: Path
    exercise: str | None
    format: str
    output: Path | None
    html: Path | None
    only: tuple[str, ...]
    seed: int
    verbose: bool
    timeline: bool
    strict: bool
    require_fences: bool
    watch: bool


def grade(request: Request, processes: Processes) -> int:
    """Grade what was asked for, report it, and give the exit code."""
    target = find_target(request.path, request.exercise, check=False)
    for name in request.only:
        target.function(name)
    require_folder("--output", request.output)
    require_folder("--html", request.html)
    if request.output is not None and request.html is not None and real(request.output) == real(request.html):
        raise click.UsageError(f"--output and --html both name {request.html}; each report needs a file of its own.")
    suite_of(target)
    submission = read_submission(target.path, target.exercise)
    options = {"strict": request.strict, "require_fences": request.require_fences}
    with grader.runner.Grader(target.exercise, processes, **options) as open_grader:
        target.check()
        load(request.format)
        if request.watch:
            return _watch(open_grader, request, target)
        return _report(_grade(open_grader, submission, request, target), request, target)


def _grade(grader: Grader, submission: Submission, request: Request, target: Target) -> Grade:
    return grader.grade(submission, seed=request.seed, only=request.only, progress=_progress(), path=target.arguments)


def _watch(grader: Grader, request: Request, target: Target) -> int:
    """Grade, wait for a change, and again, until Ctrl-C; the exit code is the last grade's."""
    code = MISSING
    seen = None
    try:
        while True:
            now = _stamps(target)
            if now == seen:
                time.sleep(POLL)
                continue
            seen = now
            if sys.stdout.isatty() and request.output is None:
                click.clear()
            try:
                submission = read_submission(target.path, target.exercise)
            except SubmissionError as error:
                click.echo(f"{error}.", err=True)
            else:
                code = _report(_grade(grader, submission, request, target), request, target)
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


def _report(grade: Grade, request: Request, target: Target) -> int:
    options = Options(verbose=request.verbose, timeline=request.timeline, folder=_in_repository(target.folder))
    if request.output is None:
        width = shutil.get_terminal_size((options.width, 0)).columns
        options = dataclasses.replace(options, width=width, colour=wants_colour())
        click.echo(render(grade, request.format, options), nl=False, color=True)
    else:
        write_report(request.output, render(grade, request.format, options))
        click.echo(_summary(grade, request.output))
    if request.html is not None:
        write_report(request.html, render(grade, "html", options))
        click.echo(f"The web page is {request.html}.", err=True)
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if request.format == "github" and summary:
        append_report(Path(summary), render(grade, "markdown", options))
    from grader.cli._progress import keep_grade

    keep_grade(grade)
    if grade.faulty:
        return FAULT
    return 0 if grade.complete else MISSING


def _in_repository(folder: Path) -> str:
    """The way to ``folder`` from the root of the repository that it is in, or from the current folder."""
    folder = real(folder)
    return Path(os.path.relpath(folder, nearest(folder, ".git"))).as_posix()


def _summary(grade: Grade, output: Path) -> str:
    points = "no score" if grade.faulty else f"{grade.earned:f} of {grade.points:f} points"
    elsewhere = (
        f"; {grade.elsewhere.points.normalize():f} more are graded elsewhere" if grade.elsewhere.criteria else ""
    )
    return f"{grade.exercise}: {points}{elsewhere}. The report is in {output}."


class _Progress:
    """A line on the terminal that says what is being tried, once a run takes longer than a second."""

    def __init__(self) -> None:
        self.started = time.monotonic()

    def __call__(self, function: str, done: int, total: int) -> None:
        if time.monotonic() - self.started < QUIET:
            return
        line = f"{done} of {total}  {function}"
        sys.stderr.write("\r\x1b[K" + (line if done < total else ""))
        sys.stderr.flush()


def _progress() -> _Progress | None:
    return _Progress() if sys.stderr.isatty() else None

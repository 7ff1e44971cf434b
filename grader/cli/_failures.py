"""What a user reads when something fails, and the exit code that goes with it."""

from __future__ import annotations

import traceback
from pathlib import Path

import click

from grader.cli._files import write_atomically
from grader.cli._state import state_file

MISSING, USAGE, FAULT, STOPPED = 1, 2, 3, 130


def explain(error: BaseException) -> int:
    """Say what ``error`` means on stderr, without a traceback, and give the exit code."""
    if isinstance(error, KeyboardInterrupt | click.Abort):
        click.echo("Stopped.", err=True)
        return STOPPED
    if isinstance(error, click.ClickException):
        error.show()
        return USAGE

    from grader.course import CourseError
    from grader.runner import GraderFault
    from grader.runner.submission import SubmissionError

    match error:
        case SubmissionError():
            click.echo(f"Error: {error}.", err=True)
            return USAGE
        case CourseError():
            click.echo(f"The course is at fault here, not your work:\n  {error}", err=True)
            return FAULT
        case GraderFault():
            place = ":".join(str(part) for part in (error.file, error.line) if part is not None)
            message = f"{place}: {error.message}" if place else error.message
            click.echo(f"The suite or the grader is at fault here, not your work:\n  {message}", err=True)
            if error.detail:
                click.echo(_indent(error.detail), err=True)
            click.echo("There is no score.", err=True)
            return FAULT
        case _:
            return _unforeseen(error)


def _unforeseen(error: BaseException) -> int:
    kind = type(error).__name__
    click.echo(f"This is a fault of the grader, not of your work: {kind}: {error}", err=True)
    details = "".join(traceback.format_exception(error))
    file = state_file("fault.txt")
    try:
        write_atomically(file, details.encode("utf-8", "backslashreplace"))
    except OSError:
        click.echo(_indent(details), err=True)
    else:
        click.echo(f"  Details: {file}", err=True)
    click.echo(f"  {_where_to_report()}", err=True)
    return FAULT


def _where_to_report() -> str:
    from grader.course import Course, CourseError

    try:
        repository = Course.find(Path.cwd()).repository
    except (CourseError, OSError):
        repository = None
    return "Report it to who runs the course." if repository is None else f"Report it: {repository}/issues"


def _indent(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.rstrip().splitlines())

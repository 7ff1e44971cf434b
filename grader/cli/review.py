"""Answer what is due again, and do what is to be done."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import click

from grader.cli._asking import ask
from grader.cli._pages import page_options
from grader.cli._progress import load
from grader.course import Course
from grader.study import due_in


@click.command("review")
def command() -> int:
    """Ask the questions that are due today across all lessons, and bring back the reps whose day has come.

    A question comes back the day after a wrong answer; after right ones 1, 3, 7, 21 and then every 60 days later. A
    rep comes back until it is done: those for tomorrow from the day after you began the lesson.

    Ends with 0 when nothing more is due, and with 130 when you left before.
    """
    course = Course.find(Path.cwd())
    today = date.today()
    due = due_in(course.lessons(), load(), today)
    if due.questions or due.reps:
        click.echo(f"Due: {due}.\n")
        return ask(due.questions, due.reps, page_options(course), "course review")
    following = f" The next is on {due.later[0]}." if due.later else " Begin with: course quiz LESSON"
    click.echo(f"Nothing is due.{following}")
    return 0

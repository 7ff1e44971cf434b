"""Read a lesson here in the terminal."""

from __future__ import annotations

import sys

import click

from grader.cli._pages import find_lesson, page_options, show
from grader.cli._progress import keep
from grader.reader import render


@click.command("read")
@click.argument("lesson")
@click.option("--answers", is_flag=True, help="Show the answers to the questions, which are folded otherwise.")
@click.option("--no-pager", is_flag=True, help="Print it all at once.")
def command(lesson: str, answers: bool, no_pager: bool) -> None:
    """Show LESSON, such as lesson10, in your pager ($PAGER, or less). Piped elsewhere it is plain text."""
    course, found = find_lesson(lesson)
    options = page_options(course, paged=not no_pager, unfollowed="listed", answers=answers)
    text = render(found.page, options)
    if not answers:
        text += f"\nTry it    course quiz {found.id}\nAnswers   course read {found.id} --answers\n"
    show(text, paged=not no_pager)
    if sys.stdout.isatty():
        keep("read", found.id)

"""Answer the questions of a lesson."""

from __future__ import annotations

import click

from grader.cli._asking import ask
from grader.cli._pages import find_lesson, page_options
from grader.cli._progress import load
from grader.study import place


@click.command("quiz")
@click.argument("lesson")
@click.option("--warm-up", is_flag=True, help="Only the questions of the warm-up.")
@click.option("--practice", is_flag=True, help="Only the questions of the practice.")
def command(lesson: str, warm_up: bool, practice: bool) -> int:
    """Ask the questions of LESSON, such as lesson10, that you have not answered yet; all of them once you have.

    A wrong guess helps, too, if you read the answer after it. Ctrl-C or Ctrl-D leaves; what you have answered is kept,
    and comes back in `course review`.

    Ends with 0 when all were asked, whatever the answers, and with 130 when you left before.
    """
    course, found = find_lesson(lesson)
    both = warm_up == practice
    questions = (found.warm_up if warm_up or both else ()) + (found.practice if practice or both else ())
    history = load()
    new = [each for each in questions if history.last("answered", place(found, each)) is None]
    return ask([(found, each) for each in new or questions], (), page_options(course), f"course quiz {found.id}")

"""Report a defect of a lesson: prints the address of the form, with the place filled in."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli._names import unknown
from grader.course import Course, CourseError
from grader.course.form import HOLE, filled_in

if TYPE_CHECKING:
    from grader.course.lesson import Lesson


@click.command("report")
@click.argument("place")
@click.option("--section", metavar="S", help="Which section, by its title or anchor.")
@click.option("--question", metavar="Q", help="Which question, by its id.")
@click.option("--open", "opens", is_flag=True, help="Open the form in the browser, too.")
def command(place: str, section: str | None, question: str | None, opens: bool) -> None:
    """Report a defect at PLACE, the id of a lesson, such as lesson10 or lesson10#bytes-7b."""
    id, _, anchor = place.partition("#")
    if sum(map(bool, (anchor, section, question))) > 1:
        raise click.UsageError("a report is about one place: give an anchor, --section or --question.")
    course = Course.find(Path.cwd())
    if course.report is None or HOLE not in course.report:
        raise CourseError(
            f"`report:` must be the address of the tracker, with {HOLE} where the place goes", course.file
        )
    lesson = _lesson(course, id)
    if anchor and anchor not in lesson.page.ids:
        raise unknown(f"{lesson.id} has nothing called {anchor!r}", anchor, sorted(lesson.page.ids))
    if section:
        anchor = _section(lesson, section)
    if question:
        anchor = _question(lesson, question)
    address = filled_in(course.report, f"{lesson.id}#{anchor}" if anchor else lesson.id)
    click.echo(address)
    if opens and not webbrowser.open(address):
        raise click.ClickException("no browser could be started: open the address above yourself.")


def _lesson(course: Course, id: str) -> Lesson:
    from grader.course.library import Library

    lessons = Library(course.file.parent, course, course.anchors).lessons
    if id not in lessons:
        raise unknown(f"no lesson is called {id!r}", id, lessons)
    return lessons[id]


def _section(lesson: Lesson, name: str) -> str:
    headings = [heading for heading in lesson.page.headings if heading.level > 1]
    for heading in headings:
        if name.casefold() in (heading.anchor, heading.text.casefold()):
            return heading.anchor
    raise unknown(f"{lesson.id} has no section {name!r}", name, [heading.text for heading in headings])


def _question(lesson: Lesson, id: str) -> str:
    known = [question.id for question in lesson.questions if question.id]
    if id not in known:
        raise unknown(f"{lesson.id} has no question {id!r}", id, known)
    return id

"""Show what you have read, answered, done and had graded, and tick reps."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path

import click

from grader.cli._names import unknown
from grader.cli._progress import load, record
from grader.course import Course
from grader.course.lesson import Lesson, Question
from grader.study import History, due_in, place

HEADS = ("lesson", "read", "warm-up", "practice", "reps", "exercise")


@click.command("progress")
@click.option("--done", metavar="REP", multiple=True, help="Tick a rep, such as name-the-stage. May be repeated.")
@click.option("--undo", metavar="REP", multiple=True, help="Take the tick off a rep again.")
@click.option("--export", is_flag=True, help="Print all that is kept, as JSON.")
def command(done: tuple[str, ...], undo: tuple[str, ...], export: bool) -> None:
    """Show how far you are: what was read, answered and graded, and the reps that are open.

    A question counts as right if it was when you last answered it.
    """
    if export:
        click.echo(load().write(), nl=False)
        return
    course = Course.find(Path.cwd())
    lessons = course.lessons()
    ticks = [(_rep(lessons, name), result) for names, result in ((done, "done"), (undo, "open")) for name in names]
    for rep, result in ticks:
        record("rep", rep, result)
    click.echo("\n".join(_lines(course, lessons, load())))


def _rep(lessons: Sequence[Lesson], name: str) -> str:
    """The name in a history of the rep called ``name``, with its lesson or without where that is enough."""
    known = [place(lesson, rep) for lesson in lessons for rep in lesson.reps if rep.id is not None]
    found = [each for each in known if name in (each, each.partition("#")[2])]
    if len(found) != 1:
        raise unknown(f"{'several reps are' if found else 'no rep is'} called {name!r}", name, found or known)
    return found[0]


def _lines(course: Course, lessons: Sequence[Lesson], history: History) -> list[str]:
    rows = [HEADS, *(_row(course, lesson, history) for lesson in lessons)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    table = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    due = str(due_in(lessons, history, date.today()))
    return [
        course.title,
        "",
        *(f"  {line}" for line in table),
        "",
        *_reps(lessons, history),
        f"Due    {due}: course review" if due else "Due    nothing today",
    ]


def _row(course: Course, lesson: Lesson, history: History) -> tuple[str, ...]:
    read = history.last("read", lesson.id)
    done = sum(history.is_done(place(lesson, rep)) for rep in lesson.reps)
    return (
        lesson.id,
        "-" if read is None else str(read.day),
        _right(lesson, lesson.warm_up, history),
        _right(lesson, lesson.practice, history),
        f"{done} of {len(lesson.reps)}",
        _graded(course, lesson, history),
    )


def _right(lesson: Lesson, questions: Sequence[Question], history: History) -> str:
    return f"{sum(history.is_right(place(lesson, question)) for question in questions)} of {len(questions)}"


def _graded(course: Course, lesson: Lesson, history: History) -> str:
    """The points of the last whole grade of each exercise of a lesson."""
    exercises = (course.exercise(id, check=False) for id in course.exercises())
    grades = [history.last("graded", exercise.id) for exercise in exercises if exercise.lesson == lesson.id]
    return ", ".join("-" if grade is None else f"{grade.result} points" for grade in grades)


def _reps(lessons: Sequence[Lesson], history: History) -> list[str]:
    """The reps of the lessons that were begun, each with its box."""
    lines = []
    for lesson in lessons:
        for rep in lesson.reps if history.begun(lesson.id) else ():
            box = "[x]" if history.is_done(place(lesson, rep)) else "[ ]"
            lines.append(f"  {box} {place(lesson, rep)}, {(rep.day or 'now').lower()}")
    return ["Reps, to be ticked with `course progress --done REP`", *lines, ""] if lines else []

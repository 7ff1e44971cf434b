"""What bare ``course`` says: where one is, what is written, and the next command."""

from __future__ import annotations

import shlex
from datetime import date
from pathlib import Path

import click

from grader.cli._target import started_in
from grader.course import Course, Exercise, FunctionSpec
from grader.course.course import PACKAGE
from grader.course.exercise import MANIFEST
from grader.runner.sources import is_unwritten


def describe(here: Path) -> str:
    """Describe the place ``here``: an exercise with its functions, or a course with its exercises."""
    course = Course.find(here)
    if here.name in course.exercises():
        return _in_exercise(course.exercise(here.name), here)
    started = started_in(here, course)
    if started is not None:
        return _in_exercise(started, here)
    return _in_course(course, here)


def is_written(folder: Path, function: FunctionSpec) -> bool:
    """Whether the file of ``function`` is there, and the function no stub any more: a look at the text."""
    try:
        content = (folder / function.file).read_bytes()
    except OSError:
        return False
    return not is_unwritten({function.file: content}, function.name)


def _in_exercise(exercise: Exercise, folder: Path) -> str:
    written = {function.name: is_written(folder, function) for function in exercise.functions}
    width = max(map(len, written))
    lines = [f"{exercise.id}  {exercise.title}", ""]
    lines += [f"  {name.ljust(width)}  {'written' if done else 'not written yet'}" for name, done in written.items()]
    lines.append("")
    todo = next((function for function in exercise.functions if not written[function.name]), None)
    if todo is None:
        return "\n".join([*lines, "Next   course grade ."])
    return "\n".join(
        [
            *lines,
            f"Next   write {todo.name} in {todo.file}, then",
            f"       course grade . --only {todo.name}",
            f"Stuck? course hint . {todo.name}",
        ]
    )


def _in_course(course: Course, here: Path) -> str:
    exercises = [course.exercise(id) for id in course.exercises()]
    lines = [f"{course.title}, in {course.file.parent}", ""]
    if not exercises:
        return "\n".join([*lines, f"  no exercises yet: none in {course.exercises_folder} has an {MANIFEST}"])
    width = max(len(exercise.id) for exercise in exercises)
    packaged = course.file.is_relative_to(PACKAGE)
    for exercise in exercises:
        done = sum(is_written(exercise.folder, function) for function in exercise.functions)
        count = "" if packaged else f": {done} of {len(exercise.functions)} functions written"
        lines.append(f"  {exercise.id.ljust(width)}  {exercise.title}{count}")
    first = exercises[0]
    lines += ["", *_due()]
    if packaged or not first.folder.is_relative_to(here):
        return "\n".join([*lines, f"Next   course start {first.id} {first.id}"])
    folder = first.folder.relative_to(here)
    return "\n".join([*lines, f"Next   course grade {shlex.quote(str(folder))}"])


def _due() -> list[str]:
    """How many questions are due, if any; nothing where that cannot be told."""
    from grader.cli._progress import load
    from grader.study import due_questions

    try:
        count = len(due_questions(load(), date.today()))
    except click.ClickException:
        return []
    return [f"Due    {count} question{'s' * (count > 1)}: course review"] if count else []

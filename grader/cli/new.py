"""Begin a lesson, an exercise or a term of the glossary: writes files in which each TODO says what goes there."""

from __future__ import annotations

import json
import keyword
import os
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from string import Template

import click

from grader.cli._files import write_new
from grader.course import Course, CourseError

TEMPLATES = Path(__file__).parent / "templates"
ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
REPORT = " If the lesson is unclear rather than the matter, that is a defect:\n[report it]({address})."


@click.group("new")
def command() -> None:
    """Begin a lesson, an exercise or a term. Never overwrites a file."""


@command.command("lesson")
@click.argument("id")
@click.option("--title", required=True, help="The title, without a number.")
def new_lesson(id: str, title: str) -> None:
    """Begin the lesson ID, to come after those that there are."""
    from grader.course.form import filled_in
    from grader.course.lesson import kind_of
    from grader.course.library import Library

    course = _course(id)
    path = f"lessons/{id}.md"
    if kind_of(path) != "lesson":
        raise click.UsageError(f"{path} is no lesson's: give another id.")
    lessons = [each for each in Library(course.file.parent, course).lessons.values() if each.order is not None]
    last = lessons[-1] if lessons else None
    order = 1 if last is None else (last.order or 0) + 1
    written = _title(title)
    _write(
        course,
        {course.file.parent / path: "lesson.md"},
        title=_quoted(written),
        heading=f"Lesson {order}. {written}",
        order=str(order),
        before="" if last is None else last.id,
        recalls="" if last is None else f"\n\n    Recalls [Lesson {last.order}]({last.id}.md#know-this).",
        report="" if course.report is None else REPORT.format(address=filled_in(course.report, id)),
    )
    _say_next(f"course check {shlex.quote(_shown(course, path))}")


@command.command("term")
@click.argument("id")
def new_term(id: str) -> None:
    """Begin the term ID of the glossary."""
    from grader.course.lesson import kind_of

    course = _course(id)
    path = f"glossary/{id}.md"
    if kind_of(path) != "term":
        raise click.UsageError(f"{path} is no term's: give another id.")
    _write(course, {course.file.parent / path: "term.md"}, title=_quoted(id), heading=id)
    _say_next(f"course check {shlex.quote(_shown(course, path))}")


@command.command("exercise")
@click.argument("id")
def new_exercise(id: str) -> None:
    """Begin the exercise ID with one function: its manifest, brief and stub, and a hidden suite that proves it.

    If there is a lesson of this id, the exercise is its.
    """
    from grader.course.library import Library

    course = _course(id)
    function = id.replace("-", "_")
    if not function.isidentifier() or keyword.iskeyword(function):
        raise click.UsageError(f"{id!r} also names the first function, and {function!r} is no name of one in Python.")
    lesson = Library(course.file.parent, course).lessons.get(id)
    folder, suite = course.exercises_folder / id, _suites(course) / id
    _write(
        course,
        {
            folder / "exercise.yml": "exercise/exercise.yml",
            folder / "README.md": "exercise/README.md",
            folder / f"{function}.py": "exercise/stub.py.txt",
            folder / ".pristine" / f"{function}.py": "exercise/stub.py.txt",
            suite / f"test_{function}.py": "exercise/suite.py.txt",
            suite / "reference" / f"{function}.py": "exercise/reference.py.txt",
            suite / "mutants" / "adds_two" / f"{function}.py": "exercise/mutant.py.txt",
        },
        id=id,
        function=function,
        lesson="TODO" if lesson is None else lesson.id,
        linked="TODO: its lesson" if lesson is None else f"[Lesson {lesson.order}](../../lessons/{id}.md)",
    )
    _say_next(f"course audit {shlex.quote(_shown(course, folder))}")


def _course(id: str) -> Course:
    """The course in or above the current folder, in which ``id`` can begin something."""
    if not ID.fullmatch(id):
        raise click.UsageError(f"{id!r} is no id: it must be letters, digits, - and _, such as lesson11 or all-gather.")
    course, here = Course.find(Path.cwd()), Path.cwd()
    if not here.is_relative_to(course.file.parent.absolute()):
        raise click.UsageError(f"{here} is in no course: change to a folder of one, with a course.yml at its top.")
    return course


def _suites(course: Course) -> Path:
    """The folder of the course's own suites: the package's only where the package is part of the course."""
    from grader.course.course import PACKAGE

    packaged = PACKAGE / "suites"
    if course.suites is None or (course.suites == packaged and not packaged.is_relative_to(course.file.parent)):
        raise CourseError("`suites:` must name the folder of the hidden suites, such as `suites: suites`", course.file)
    return course.suites


def _write(course: Course, files: Mapping[Path, str], **values: str) -> None:
    """Write what the templates make of ``values``, all as new files or none, and say what was written."""
    taken = [_shown(course, file) for file in files if os.path.lexists(file)]
    if taken:
        raise click.UsageError(f"there already: {', '.join(taken)}. Nothing was written.")
    write_new(
        {
            file: Template((TEMPLATES / name).read_text("utf-8")).substitute(values).encode()
            for file, name in files.items()
        }
    )
    for file in files:
        click.echo(_shown(course, file))


def _say_next(command: str) -> None:
    click.echo(f"\nNext   fill in each TODO, then\n       {command}")


def _shown(course: Course, file: str | Path) -> str:
    return os.path.relpath(course.file.parent / file)


def _title(given: str) -> str:
    """A title in one line; a usage error if it is none that a page can hold."""
    from grader.course import yaml

    title = " ".join(given.split())
    try:
        yaml.parse(f"# {title}")
    except yaml.YamlError as error:
        raise click.UsageError(f"--title: {error.message}.") from None
    if not title:
        raise click.UsageError("--title: a lesson needs one.")
    return title


def _quoted(title: str) -> str:
    """A title as YAML, in which a colon means nothing."""
    return json.dumps(title, ensure_ascii=False)

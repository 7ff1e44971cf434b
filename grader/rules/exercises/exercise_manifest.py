"""The rule ``exercise-manifest``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from grader.course.errors import CourseError
from grader.course.exercise import MANIFEST, read_exercise
from grader.course.library import Library
from grader.course.page import Span
from grader.course.source import Source
from grader.results import Finding
from grader.rules.base import FileRule


class ExerciseManifest(FileRule):
    """An ``exercise.yml`` can be read, and its keys and values are those of its schema."""

    id = "exercise-manifest"
    title = "An exercise's manifest is as its schema says"
    why = "Grading, hints and points come from it: what it misspells, no learner gets."
    file = "exercises/leap/exercise.yml"
    good = "    summary: How many days a year has.\n"
    bad = "    sumary: How many days a year has.\n"
    fix = "Write the key or the value as in the schema, which `course schema exercise` prints."

    def check(self, subject: str, library: Library) -> Iterator[Finding]:
        if PurePosixPath(subject).name != MANIFEST:
            return
        for problem in _problems(subject, library):
            line, column = problem.line, problem.column or 1
            span = None if line is None else Span(line, column, line, column)
            yield self.finding(subject, span, problem.message)


def _problems(path: str, library: Library) -> list[CourseError]:
    file = library.root / path
    try:
        problems = Source.read(file).problems("exercise")
        if not problems:
            # What no schema sees, such as a name given twice.
            read_exercise(file.parent, None, check=False)
    except CourseError as error:
        return [error]
    return problems

"""The rule ``course-file``."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.course import FILE
from grader.course.errors import CourseError
from grader.course.library import Library
from grader.course.page import Span
from grader.course.source import Source
from grader.results import Finding
from grader.rules.base import FileRule


class CourseFile(FileRule):
    """``course.yml`` can be read, and its keys and values are those of its schema."""

    id = "course-file"
    title = "The course's own file is as its schema says"
    why = "What cannot be read of `course.yml` holds for no lesson, and a misspelt key is left out in silence."
    file = "course.yml"
    good = "language: en\n"
    bad = "langauge: en\n"
    fix = "Write the key or the value as in the schema, which `course schema course` prints."

    def check(self, subject: str, library: Library) -> Iterator[Finding]:
        if subject != FILE:
            return
        try:
            problems = Source.read(library.root / FILE).problems("course")
        except CourseError as error:
            problems = [error]
        for problem in problems:
            line, column = problem.line, problem.column or 1
            span = None if line is None else Span(line, column, line, column)
            yield self.finding(subject, span, problem.message)

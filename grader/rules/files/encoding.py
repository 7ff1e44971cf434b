"""The rule ``encoding``."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.errors import CourseError
from grader.course.library import MARKDOWN, Library
from grader.course.page import Span
from grader.results import Finding
from grader.rules.base import FileRule


class Encoding(FileRule):
    """A page can be read, as text in UTF-8 without NUL."""

    id = "encoding"
    title = "A page can be read"
    why = "What cannot be read is shown to nobody and checked for nothing, and what is no UTF-8 is shown as it is not."
    file = "lessons/resources.md"
    good = "# Resources"
    bad = "# Resources\0"
    fix = "Save the file as UTF-8, and take out what is no text."

    def check(self, subject: str, library: Library) -> Iterator[Finding]:
        if subject in library.closed:
            yield self.finding(subject, None, f"the folder cannot be read: {library.closed[subject]}")
            return
        if not subject.lower().endswith(MARKDOWN):
            return
        try:
            library.page(subject)
        except CourseError as error:
            line, column = error.line, error.column or 1
            span = None if line is None else Span(line, column, line, column + 1)
            yield self.finding(subject, span, error.message)

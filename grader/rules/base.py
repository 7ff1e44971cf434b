"""What a rule is: one fact about content that can be checked, and how to explain it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar, Generic, TypeVar

from grader.course.exercise import Exercise
from grader.course.lesson import Lesson, Term
from grader.course.library import Library
from grader.course.page import Page, Span
from grader.results import Edit, Finding, Severity

Subject = TypeVar("Subject")


class Rule(ABC, Generic[Subject]):
    """A rule, of which one module in this package holds one class.

    ``good`` is a piece of ``file`` in a course that is right; with ``bad`` in its place the rule finds something.
    """

    id: ClassVar[str]
    severity: ClassVar[Severity] = "error"
    title: ClassVar[str]
    why: ClassVar[str]
    file: ClassVar[str]
    good: ClassVar[str]
    bad: ClassVar[str]
    fix: ClassVar[str]

    @abstractmethod
    def check(self, subject: Subject, library: Library) -> Iterator[Finding]:
        """Find what breaks the rule in one subject; the library is there to look things up in."""

    def finding(
        self, path: str, span: Span | None, message: str, fix: str | None = None, edits: tuple[Edit, ...] = ()
    ) -> Finding:
        """A finding of this rule at a place."""
        line, column, end_line, end_column = (
            (None, None, None, None) if span is None else (span.line, span.column, span.end_line, span.end_column)
        )
        return Finding(self.id, self.severity, path, line, column, end_line, end_column, message, fix, edits)


class FileRule(Rule[str]):
    """A rule about a file, by its path: whether it can be read at all."""


class PageRule(Rule[Page]):
    """A rule about any Markdown page. Needs no course."""


class LessonRule(Rule[Lesson]):
    """A rule about one lesson."""


class TermRule(Rule[Term]):
    """A rule about one term of the glossary."""


class ExerciseRule(Rule[Exercise]):
    """A rule about one exercise."""


class CourseRule(Rule[Library]):
    """A rule about the course as a whole; it runs only where the whole course is checked."""

"""Where something stands in a YAML file, as the place of a finding."""

from __future__ import annotations

from grader.course.errors import CourseError
from grader.course.page import Span
from grader.course.source import Source
from grader.course.yaml import Path, Position


def span_of(source: Source, path: Path) -> Span:
    """The beginning of the value at ``path``."""
    return _at(source.document.values[path])


def span_of_error(error: CourseError) -> Span | None:
    """The place of an error, if it has one."""
    return None if error.line is None else _at((error.line, error.column or 1))


def _at(position: Position) -> Span:
    line, column = position
    return Span(line, column, line, column + 1)

"""The frontmatter of a page: found by its fences, which are exactly ``---`` at the beginning of a line, and read."""

from __future__ import annotations

import re
from pathlib import Path

from grader.course import yaml
from grader.course.errors import CourseError
from grader.course.page import Frontmatter, Span, Text
from grader.course.source import Source

FENCE = "---"
_CLOSING = re.compile(r"(?:-{3,}|\.\.\.)\s*")
_INDENTED_CLOSING = re.compile(r"\s+---\s*")
_KEY = re.compile(r"\s*[\w-]+\s*:(\s|$)")


def read_frontmatter(text: Text, file: Path) -> tuple[Frontmatter | None, int]:
    """Read the frontmatter, if the page has one, and count its lines, which are no Markdown.

    What looks like frontmatter and is none, as well as frontmatter that cannot be read, has a ``problem``.

    >>> text = Text("---\\ntitle: Shards\\n---\\n# Shards\\n")
    >>> frontmatter, lines = read_frontmatter(text, Path("a.md"))
    >>> dict(frontmatter.data), lines
    ({'title': 'Shards'}, 3)
    """
    opening = _opening(text)
    if opening is None:
        return None, 0
    first, problem = opening
    last, closing_problem = _closing(text, first)
    if last is None:
        error = _error(closing_problem if problem is None else problem, text, file, first)
        return Frontmatter(_lines(text, first, first), None, error), 0
    span = _lines(text, first, last)
    if problem is not None:
        return Frontmatter(span, None, _error(problem, text, file, first)), last
    if closing_problem is not None:
        return Frontmatter(span, None, _error(closing_problem, text, file, last)), last
    return _read(text, file, span)


def _opening(text: Text) -> tuple[int, str | None] | None:
    """The number of the line that opens a frontmatter, and what is wrong with it."""
    if text.line(1) == FENCE:
        return 1, None
    count = len(text.starts)
    number = next((number for number in range(1, count) if text.line(number).strip()), count)
    line = text.line(number)
    if not line.rstrip().endswith(FENCE) or number == count or not _KEY.match(text.line(number + 1)):
        return None
    if line.strip("- \t") and _closing(text, number)[0] is None:
        return None
    if number > 1 and line == FENCE:
        return number, "frontmatter begins in line 1: take out the blank lines above it"
    if line.lstrip() == FENCE:
        return number, "the fence of the frontmatter must begin in column 1"
    return number, f"the fence of the frontmatter must be exactly {FENCE}: nothing before or after it"


def _closing(text: Text, first: int) -> tuple[int | None, str | None]:
    """The number of the line that closes what ``first`` opened, and what is wrong with it."""
    numbers = range(first + 1, len(text.starts) + 1)
    for number in numbers:
        line = text.line(number)
        if line == FENCE:
            return number, None
        if _CLOSING.fullmatch(line):
            return number, f"the frontmatter must be closed by exactly {FENCE}, not by {line!r}"
    for number in numbers:
        if _INDENTED_CLOSING.fullmatch(text.line(number)):
            return number, f"the {FENCE} that closes the frontmatter must begin in column 1"
    return None, f"the frontmatter is not closed: put a line {FENCE} after its last key"


def _read(text: Text, file: Path, span: Span) -> tuple[Frontmatter, int]:
    last = span.end_line
    inside = text.content[text.offset(2) : text.offset(last)]
    try:
        source = Source(file, yaml.parse("\n" + inside))
    except yaml.YamlError as error:
        return Frontmatter(span, None, CourseError(error.message, file, error.line, error.column)), last
    data = source.document.data
    if data is None or isinstance(data, dict):
        return Frontmatter(span, source), last
    # A page may open with a rule of three hyphens: what stands below is then text that nobody may lose.
    body = 0 if isinstance(data, str) else last
    problem = source.error(_not_keys(data))
    return Frontmatter(span, None, problem), body


def _not_keys(data: object) -> str:
    wanted = "the frontmatter must be keys and values, such as `title: Shards`"
    if isinstance(data, str) and re.match(r"[\w-]+:\S", data):
        return f"{wanted}: put a blank after the colon"
    return f"{wanted}; if none is meant, begin the page with something other than {FENCE}"


def _error(message: str | None, text: Text, file: Path, number: int) -> CourseError:
    line = text.line(number)
    return CourseError(message or "", file, number, max(1, line.find(FENCE) + 1))


def _lines(text: Text, first: int, last: int) -> Span:
    return Span(first, 1, last, len(text.line(last)) + 1)

"""The rule ``frontmatter-schema``."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.library import Library
from grader.course.page import Page, Span
from grader.course.source import QUOTES_HELP
from grader.results import Edit, Finding
from grader.rules.base import PageRule
from grader.rules.frontmatter._lines import entries, kind, quoted


class FrontmatterSchema(PageRule):
    """The keys of a lesson and of a term are those of their schemas; a key that begins with ``x-`` is free."""

    id = "frontmatter-schema"
    title = "Frontmatter has the keys that it should, and values that fit"
    why = "A misspelt key would be left out in silence, and a wrong value would be found only where it is used."
    file = "lessons/lesson1.md"
    good = "minutes: 20\n"
    bad = "minuts: 20\n"
    fix = "Spell the key as in the schema, which `course schema lesson` and `course schema term` print."

    def check(self, subject: Page, library: Library) -> Iterator[Finding]:
        schema = kind(subject, library)
        frontmatter = subject.frontmatter
        if schema is None or frontmatter is None or frontmatter.source is None:
            return
        for problem in frontmatter.source.problems(schema):
            line, column = problem.line or 1, problem.column or 1
            fix, edits = _in_quotes(subject, line, column) if problem.message.endswith(QUOTES_HELP) else (None, ())
            span = Span(line, column, line, len(subject.text.line(line)) + 1)
            message = problem.message.replace("the file must be", "the frontmatter must be")
            yield self.finding(subject.path, span, message, fix, edits)


def _in_quotes(page: Page, line: int, column: int) -> tuple[str | None, tuple[Edit, ...]]:
    """How the line is written with its value as text, which it must be and would not be."""
    for entry in entries(page):
        if (entry.number, entry.column) == (line, column):
            right = f"{entry.lead}{entry.key}: {quoted(entry.value)}"
            return f"Write: {right}", entry.replace(right)
    return None, ()

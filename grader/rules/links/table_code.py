"""The rule ``table-code``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.course.library import Library
from grader.course.page import Page, Span
from grader.results import Edit, Finding
from grader.rules.base import PageRule

_CODE = re.compile(r"(?<![`\\])(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_PIPE = re.compile(r"(?<!\\)\|")
_DELIMITERS = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-*:?\s*)+")


class TableCode(PageRule):
    """A pipe in code in a table is written with a backslash before it."""

    id = "table-code"
    title = "Pipes in the code of a table are escaped"
    why = "A pipe ends the cell, in code as well: the code is torn apart, and the last cell of the row is not shown."
    file = "lessons/resources.md"
    good = "`a \\| b`"
    bad = "`a | b`"
    fix = "Write a backslash before the pipe; it is not shown."

    def check(self, subject: Page, library: Library) -> Iterator[Finding]:
        for number in _rows(subject) if "|" in subject.text.content else ():
            for code in _CODE.finditer(subject.text.line(number)):
                for pipe in _PIPE.finditer(code[2]):
                    column = code.start(2) + pipe.start() + 1
                    message = f"the pipe in {code[0]} ends the cell"
                    edit = Edit(number, column, number, column, "\\")
                    span = Span(number, column, number, column + 1)
                    yield self.finding(subject.path, span, message, self.fix, (edit,))


def _rows(page: Page) -> Iterator[int]:
    """The lines of rows, those among them of tables that are none because their first row has a pipe too many."""
    for token in page.tokens:
        if token.map is None:
            continue
        first = token.map[0] + 1
        if token.type == "tr_open":
            yield first
        elif token.type == "inline" and _DELIMITERS.fullmatch("".join(token.content.split("\n")[1:2])):
            yield from range(first, token.map[1] + 1)

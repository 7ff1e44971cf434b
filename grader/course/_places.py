"""Where the content of blocks and of cells of tables stands in a file."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from grader.course.page import Span, Text

if TYPE_CHECKING:
    from markdown_it.token import Token

_PIPE = re.compile(r"(?<!\\)\|")


class Lines:
    """Where the content of a block stands in the file, line by line.

    markdown-it takes containers and indentation off the beginning of each line and blanks off the end, so each line
    of content is measured from its end.
    """

    def __init__(self, text: Text, block: Token, before: Token | None = None) -> None:
        self.text = text
        self.block = block
        self.closable = before is not None and before.type == "heading_open" and before.markup.startswith("#")
        self.shifts: dict[int, int] = {}

    def span(self, start: int, end: int) -> Span:
        """The span of the characters of the content from ``start`` up to ``end``."""
        return self.text.span(self._offset(start), self._offset(end))

    def _offset(self, place: int) -> int:
        line = self.block.content.count("\n", 0, place)
        if line not in self.shifts:
            self.shifts[line] = self._shift(place, line)
        return place + self.shifts[line]

    def _shift(self, place: int, line: int) -> int:
        """How much further on in the file a line of the content is."""
        content = self.block.content
        begin = content.rfind("\n", 0, place) + 1
        written = content[begin:].partition("\n")[0].rstrip()
        number = self._first + line
        if number > len(self.text.starts):
            return len(self.text.content) - len(content)
        return self.text.starts[number - 1] + len(self._source(number)) - len(written) - begin

    def _source(self, number: int) -> str:
        """A line of the file, up to where its content can end."""
        source = self.text.line(number).rstrip()
        return _without_closing(source) if self.closable else source

    @property
    def _first(self) -> int:
        """The line of the file in which the content begins: in the first of the block that is not blank to Python."""
        number = (self.block.map or (0, 0))[0] + 1
        written = self.block.content.partition("\n")[0].rstrip()
        while number < len(self.text.starts) and not self._source(number).endswith(written):
            number += 1
        return number


def _without_closing(heading: str) -> str:
    """A line with a heading, without the ``##`` that may close it."""
    opened = heading.rstrip("#")
    return opened.rstrip() if opened != heading and opened[-1:] in (" ", "\t") else heading


class Row:
    """Where the cells of a row of a table stand in the file."""

    def __init__(self, text: Text, row: Token) -> None:
        number, column = (row.map or (0, 0))[0] + 1, row.meta["column"]
        self.text = text
        self.start = text.offset(number, column + 1)
        self.line = text.line(number)[column:].rstrip()
        self.taken = 0

    def next_cell(self) -> Cell:
        """The first cell, then each in turn."""
        self.taken += 1
        return Cell(self, self.taken - 1)

    def cell(self, index: int) -> tuple[int, str]:
        """Where a cell begins in the file, and what is written in it."""
        pipes = [pipe.start() for pipe in _PIPE.finditer(self.line)]
        bounds = list(pairwise([-1, *pipes, len(self.line)]))
        if pipes and pipes[0] == 0:
            bounds.pop(0)
        before, end = bounds[index]
        cell = self.line[before + 1 : end]
        return self.start + before + 1 + len(cell) - len(cell.lstrip()), cell.strip()


class Cell:
    """Where the content of a cell, in which ``\\|`` is a pipe, stands in the file."""

    def __init__(self, row: Row, index: int) -> None:
        self.row = row
        self.index = index

    def span(self, start: int, end: int) -> Span:
        offset, cell = self.row.cell(self.index)
        places = [place for place in range(len(cell)) if cell[place : place + 2] != "\\|"] + [len(cell)]
        return self.row.text.span(offset + places[start], offset + places[end])

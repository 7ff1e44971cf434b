"""Who is in a class: a roster, read strictly from CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.course.source import is_special
from grader.gradebook import Person

KNOWN = ("id", "name", "email", "gradescope", "canvas", "moodle", "repository")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


class RosterError(Exception):
    """A roster is not as it must be: what, where, and what was expected.

    >>> print(RosterError("`id` is empty", Path("roster.csv"), 2, 1))
    roster.csv:2:1: `id` is empty
    """

    def __init__(self, message: str, file: Path, line: int | None = None, column: int | None = None) -> None:
        place = [str(part) for part in (file, line, column) if part is not None]
        super().__init__(f"{':'.join(place)}: {message}")


@dataclass(frozen=True, slots=True)
class _Record:
    """One line of a table, or several where a cell is quoted; ``raw`` is how it is written."""

    file: Path
    line: int
    cells: Sequence[str]
    raw: str
    delimiter: str

    def error(self, message: str, cell: int = 0) -> RosterError:
        """Give the error ``message`` at the beginning of a cell, to be raised."""
        quoted = False
        for offset, char in enumerate(self.raw if cell else ""):
            quoted ^= char == '"'
            cell -= char == self.delimiter and not quoted
            if not cell:
                line, column = _place(self.raw[: offset + 1])
                return RosterError(message, self.file, self.line + line - 1, column)
        return RosterError(message, self.file, self.line, 1)


def read_roster(file: Path) -> tuple[Person, ...]:
    """Read the people in ``file``: its column ``id`` must be there, those of ``KNOWN`` mean something, all are kept.

    RosterError if anything in it is not certain.
    """
    records = _records(_decode(file), file)
    header = next(records, None)
    if header is None:
        raise RosterError("is empty: expected a first line with the names of columns, `id` among them", file)
    columns = _columns(header)
    at = columns.index("id")
    people: dict[str, Person] = {}
    lines: dict[str, int] = {}
    for record in records:
        person = _person(record, columns)
        if person.id in people:
            raise record.error(f"the id {person.id!r} is given twice, first in line {lines[person.id]}", at)
        people[person.id] = person
        lines[person.id] = record.line
    if not people:
        raise RosterError("names nobody: expected a line for each person", file)
    return tuple(people.values())


def _decode(file: Path) -> str:
    if is_special(file):
        raise RosterError("cannot be read: it is a pipe or a device", file)
    try:
        content = file.read_bytes()
    except OSError as error:
        raise RosterError(f"cannot be read: {error.strerror}", file) from None
    if content.startswith(_UTF16) or b"\0" in content:
        raise RosterError("is UTF-16 or no text: save it as CSV in UTF-8", file)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line, column = _place(content[: error.start].decode("utf-8-sig"))
        message = f"the byte 0x{content[error.start]:02x} is no UTF-8: save it as CSV in UTF-8"
        raise RosterError(message, file, line, column) from None


def _place(before: str) -> tuple[int, int]:
    """The line and the column that follow ``before``."""
    lines = io.StringIO(before + ".", newline=None).read().split("\n")
    return len(lines), len(lines[-1])


def _records(text: str, file: Path) -> Iterator[_Record]:
    """The lines of a table that are not blank."""
    lines = list(io.StringIO(text, newline=""))
    delimiter = max(",;", key=lines[0].count) if lines else ","
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = [cell.strip() for cell in next(reader)]
        except StopIteration:
            return
        except csv.Error as error:
            raise RosterError(f"is no CSV here: {error}", file, line) from None
        if any(cells):
            yield _Record(file, line, cells, "".join(lines[line - 1 : reader.line_num]), delimiter)


def _columns(header: _Record) -> list[str]:
    """The names of the columns; those that mean something may be written in capitals."""
    columns: list[str] = []
    for index, name in enumerate(header.cells):
        column = name.lower() if name.lower() in KNOWN else name
        if not column:
            raise header.error(f"column {index + 1} has no name: name it, or take it out", index)
        if column in columns:
            raise header.error(f"the column `{column}` is given twice", index)
        columns.append(column)
    if "id" not in columns:
        found = ", ".join(f"`{name}`" for name in columns)
        raise header.error(f"expected a column `id`, found {found}")
    return columns


def _person(record: _Record, columns: Sequence[str]) -> Person:
    if len(record.cells) != len(columns):
        raise record.error(f"expected {len(columns)} cells, as in the first line, found {len(record.cells)}")
    cells = dict(zip(columns, record.cells, strict=True))
    at = columns.index("id")
    if not cells["id"]:
        raise record.error("the `id` is missing", at)
    if not cells["id"].isprintable():
        raise record.error(f"the id {cells['id']!r} has a character that cannot be printed", at)
    return Person(cells.pop("id"), cells)

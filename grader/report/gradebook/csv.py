"""The gradebook as a table: a row for each person, a column for each function and criterion; and read back."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import get_args

from grader.gradebook import Gradebook, GradebookError, Record, Row, RowStatus
from grader.report._learner_text import shorten
from grader.report.gradebook._cells import BOM, number, table, text, unguarded

COLUMNS = ("id", "name", "status", "reason", "source", "notes", "earned", "adjustment", "total", "of")
NUMBERS = ("earned", "adjustment", "total", "of")

_DECIMAL = re.compile(r"-?[0-9]+(\.[0-9]+)?")


def render(gradebook: Gradebook) -> str:
    """Render ``gradebook`` as CSV with a byte-order mark, so that a spreadsheet reads names as they are.

    The same results give the same bytes, so there are no seconds. A blank is what was not graded. A function's column
    is named like a call, which neither another column nor a criterion can be. A very long reason or note is cut, for
    neither spreadsheets nor ``csv`` could read it.
    """
    named = any(row.person is not None for row in gradebook.rows)
    columns = [column for column in COLUMNS if named or column != "name"]
    functions = [f"{function}()" for function in gradebook.functions]
    header = [*columns, *functions, *(criterion.id for criterion in gradebook.criteria)]
    rows = (_cells(row, gradebook) for row in gradebook.rows)
    return BOM + table([list(map(text, header)), *([cells[column] for column in header] for cells in rows)])


def read_gradebook(content: str) -> tuple[Record, ...]:
    """Read back what ``render`` wrote, strictly. GradebookError says where it is something else."""
    reader = csv.reader(io.StringIO(content.removeprefix(BOM), newline=""), strict=True)
    records: dict[str, Record] = {}
    line = 1
    try:
        header = _header(next(reader, []))
        line = reader.line_num + 1
        for cells in reader:
            record = _record(header, cells)
            if record.id in records:
                raise ValueError(f"a second row of {record.id!r}")
            records[record.id] = record
            line = reader.line_num + 1
    except (csv.Error, ValueError) as error:
        raise GradebookError(
            f"line {line}: {error}. This is not as `course batch` wrote it: put the file back as it was, or "
            "move it away, and nothing is compared with it"
        ) from None
    return tuple(records.values())


def _cells(row: Row, gradebook: Gradebook) -> Mapping[str, str]:
    notes = [*row.notes, *(f"adjustment {number(each.points)}: {each.note}" for each in row.adjustments)]
    return {
        "id": text(row.id),
        "name": text(row.name),
        "status": row.status,
        "reason": text(shorten(row.reason or "")),
        "source": text(row.source or ""),
        "notes": text(shorten("; ".join(notes))),
        "earned": number(row.earned),
        "adjustment": number(row.adjustment),
        "total": number(row.total),
        "of": number(gradebook.points),
        **{f"{name}()": number(earned) for name, earned in _by_function(row, gradebook)},
        **{each.id: number(_earned(row, each.id)) for each in gradebook.criteria},
    }


def _earned(row: Row, criterion: str) -> Decimal | None:
    score = None if row.scores is None else row.scores.get(criterion)
    return None if score is None else score.earned


def _by_function(row: Row, gradebook: Gradebook) -> Iterator[tuple[str, Decimal | None]]:
    for function in gradebook.functions:
        scores = [_earned(row, each.id) for each in gradebook.criteria if each.function == function]
        known = [earned for earned in scores if earned is not None]
        yield function, sum(known, Decimal(0)) if known else None


def _header(cells: Sequence[str]) -> list[str]:
    header = [unguarded(cell) for cell in cells]
    fixed = [column for column in COLUMNS if column != "name" or "name" in header[:2]]
    if header[: len(fixed)] != fixed:
        raise ValueError(f"the columns begin with {','.join(header[: len(fixed)])!r}, not with {','.join(fixed)!r}")
    twice = next((column for column in header if header.count(column) > 1), None)
    if twice is not None:
        raise ValueError(f"there are two columns `{twice}`")
    return header


def _record(header: Sequence[str], cells: Sequence[str]) -> Record:
    if len(cells) != len(header):
        raise ValueError(f"{len(cells)} cells under {len(header)} columns")
    row = dict(zip(header, cells, strict=True))
    if row["status"] not in get_args(RowStatus):
        raise ValueError(f"the status is {row['status']!r}, not one of {', '.join(get_args(RowStatus))}")
    numbers = {column: _number(column, row[column]) for column in header if column in NUMBERS or column not in COLUMNS}
    criteria = {column: value for column, value in numbers.items() if column not in NUMBERS and column[-2:] != "()"}
    return Record(unguarded(row["id"]), numbers["earned"], numbers["adjustment"], numbers["total"], criteria)


def _number(column: str, cell: str) -> Decimal | None:
    if cell and not _DECIMAL.fullmatch(cell):
        raise ValueError(f"`{column}` is {cell!r}, not a decimal in plain digits")
    return Decimal(cell) if cell else None

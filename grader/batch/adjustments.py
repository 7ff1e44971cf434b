"""Points that the instructor gives or takes by hand: read from a CSV file, and never written."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterator, Mapping
from decimal import Decimal
from pathlib import Path

from grader.course.source import is_special
from grader.gradebook import Adjustment, GradebookError

COLUMNS = ("id", "points", "note")

# So few digits that sums stay exact.
_POINTS = re.compile(r"[+-]?[0-9]{1,9}(\.[0-9]{1,9})?")


def read_adjustments(file: Path, ids: Collection[str]) -> Mapping[str, tuple[Adjustment, ...]]:
    """Read ``id,points,note`` lines, by id; several of an id add up. GradebookError names the line that is wrong.

    There are none if there is no ``file``. A person who is not among ``ids`` is an error, too.
    """
    found: dict[str, tuple[Adjustment, ...]] = {}
    for line, id, adjustment in _lines(file):
        # A gradebook has a quote in front of what a spreadsheet would take for a formula; ids are copied from there.
        known = next((each for each in (id, id.removeprefix("'")) if each in ids), None)
        if known is None:
            raise GradebookError(f"{file}:{line}: nobody has the id {id!r}; take it from the column `id` of the roster")
        found[known] = (*found.get(known, ()), adjustment)
    return found


def _lines(file: Path) -> Iterator[tuple[int, str, Adjustment]]:
    reader = csv.reader(io.StringIO(_read(file), newline=""), strict=True)
    line = 1
    try:
        header = tuple(cell.strip() for cell in next(reader, COLUMNS))
        if header != COLUMNS:
            raise ValueError(f"the first line is {','.join(header)!r}, not {','.join(COLUMNS)!r}")
        line = reader.line_num + 1
        for cells in reader:
            if any(cells):
                yield line, *_adjustment(cells)
            line = reader.line_num + 1
    except (csv.Error, ValueError) as error:
        raise GradebookError(f"{file}:{line}: {error}") from None


def _read(file: Path) -> str:
    if is_special(file):
        raise GradebookError(f"{file} cannot be read: it is a pipe or a device")
    try:
        return file.read_bytes().decode("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise GradebookError(f"{file}:{line}: this is not UTF-8; save the file as CSV in UTF-8") from None
    except OSError as error:
        raise GradebookError(f"{file} cannot be read: {error.strerror}") from None


def _adjustment(cells: list[str]) -> tuple[str, Adjustment]:
    if len(cells) != len(COLUMNS):
        raise ValueError(f"there are {len(cells)} cells, not 3: id,points,note; quote a note with a comma")
    id, points, note = cells
    if not _POINTS.fullmatch(points.strip()):
        raise ValueError(
            f"the points are {points!r}, not a decimal such as -2 or 0.5, of at most 9 digits and 9 decimals"
        )
    return id, Adjustment(Decimal(points.strip()), note)

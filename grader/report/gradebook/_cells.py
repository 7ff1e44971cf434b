"""Cells of CSV files that people open in spreadsheets and programs read back."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from decimal import Decimal

# Without it, Excel takes UTF-8 for the encoding of the machine.
BOM = "\ufeff"

_GUARD = "'"
_FORMULA = tuple("=+-@\t\r")


def text(value: str) -> str:
    """A cell that no spreadsheet takes for a formula; ``unguarded`` gives the text back.

    What UTF-8 cannot hold, such as a broken name of a file, is written as Python writes it.

    >>> text("=1+1"), text("O'Neil"), text("'-1")
    ("'=1+1", "O'Neil", "''-1")
    """
    value = value.encode("utf-8", "backslashreplace").decode("utf-8")
    return _GUARD + value if _is_formula(value) else value


def unguarded(cell: str) -> str:
    """The text that ``text`` made a cell of."""
    return cell[1:] if cell.startswith(_GUARD) and _is_formula(cell) else cell


def number(value: Decimal | None) -> str:
    """An exact number in plain digits; nothing for None.

    >>> number(Decimal("1E+1")), number(Decimal("0.50")), number(Decimal(-2)), number(None)
    ('10', '0.5', '-2', '')
    """
    if value is None:
        return ""
    digits = f"{value or Decimal(0):f}"
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


def table(rows: Iterable[Sequence[str]]) -> str:
    """Cells as CSV of RFC 4180. Its line end is what makes ``csv`` quote a lone CR in a cell.

    >>> table([("id", "name"), ("ada", "Lovelace, Ada")])
    'id,name\\r\\nada,"Lovelace, Ada"\\r\\n'
    """
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerows(rows)
    return out.getvalue()


def _is_formula(value: str) -> bool:
    # Guards in front count, so that a text that begins like a guarded one comes back as it was.
    return value.lstrip(_GUARD).startswith(_FORMULA)

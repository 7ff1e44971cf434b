"""The pairs as CSV: one line each, those that look most alike first."""

from __future__ import annotations

from decimal import Decimal

from grader.likeness import Likeness, Side
from grader.report.gradebook._cells import BOM, number, table, text

_COLUMNS = ("rank", "left", "left share", "left tokens", "right", "right share", "right tokens", "page")


def render(likeness: Likeness, pages: int) -> str:
    """Render all pairs; the first ``pages`` have a page of their own."""
    rows = (
        (str(rank), *_cells(pair.left), *_cells(pair.right), page_name(rank) if rank <= pages else "")
        for rank, pair in enumerate(likeness.pairs, 1)
    )
    return BOM + table([_COLUMNS, *rows])


def page_name(rank: int) -> str:
    """The name of the page of a pair.

    >>> page_name(7)
    'pair-0007.html'
    """
    return f"pair-{rank:04}.html"


def _cells(side: Side) -> tuple[str, str, str]:
    share = Decimal(10_000 * side.shared // side.own) / 10_000
    return text(side.id), number(share), str(side.shared)

"""What a new run changed: as CSV, and as lines for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import groupby

from grader.gradebook import Change
from grader.report._learner_text import one_line
from grader.report.gradebook._cells import BOM, number, table, text

MOST = 10


def render(changes: Sequence[Change]) -> str:
    """Render ``changes`` as CSV: who, what, in which column, from what to what. A blank is what was not graded."""
    rows = (
        (text(change.id), change.kind, text(change.column), number(change.before), number(change.after))
        for change in changes
    )
    return BOM + table([("id", "what", "column", "from", "to"), *rows])


def lines(changes: Sequence[Change], most: int = MOST) -> list[str]:
    """Say in a line what changed of each row, of at most ``most`` rows.

    >>> lines([Change("ada", "total", Decimal(8), Decimal(10)), Change("ada", "shard-uneven", Decimal(0), Decimal(2))])
    ['1 row changed:', '  ada: from 8 to 10 points (shard-uneven from 0 to 2)']
    """
    rows = [_row(id, list(of)) for id, of in groupby(changes, lambda change: change.id)]
    if not rows:
        return ["No row changed."]
    said = [f"{len(rows):,} {'row' if len(rows) == 1 else 'rows'} changed:", *(f"  {row}" for row in rows[:most])]
    if len(rows) > most:
        said.append(f"  and {len(rows) - most:,} more")
    return [*said, *_columns(changes)]


def _row(id: str, changes: Sequence[Change]) -> str:
    total = next((change for change in changes if change.column == "total"), None)
    others = [f"{one_line(change.column)} {_step(change)}" for change in changes if change is not total]
    if total is None:
        said = "the same points"
    elif total.kind == "new row":
        said = f"new, {_points(total.after)}"
    elif total.kind == "vanished row":
        said = f"no longer in the class, had {_points(total.before)}"
    else:
        said = f"{_step(total)} points"
    return f"{one_line(id)}: {said}" + (f" ({', '.join(others)})" if others else "")


def _step(change: Change) -> str:
    return f"from {number(change.before) or 'none'} to {number(change.after) or 'none'}"


def _points(value: Decimal | None) -> str:
    return "no points yet" if value is None else f"{number(value)} points"


def _columns(changes: Sequence[Change]) -> Iterator[str]:
    for kind, words in (("new criterion", "New criteria"), ("vanished criterion", "Criteria that are gone")):
        ids = dict.fromkeys(one_line(change.column) for change in changes if change.kind == kind)
        if ids:
            yield f"{words}: {', '.join(ids)}."

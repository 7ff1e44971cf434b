"""What files for platforms share: which rows they have, and that each names one person there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from grader.gradebook import Gradebook, GradebookError, Row
from grader.report.gradebook import named


def with_total(gradebook: Gradebook) -> tuple[Row, ...]:
    """The rows that a platform is told of.

    Others are left out whole: both Canvas and Moodle take an empty cell for "no grade" and clear the one they have.
    """
    return tuple(row for row in gradebook.rows if row.total is not None)


def columns(row: Row) -> Mapping[str, str]:
    """What the roster says of a person, by column in lower case."""
    given = {} if row.person is None else row.person.columns
    return {column.casefold(): value.strip() for column, value in given.items()}


def require(rows: Sequence[Row], values: Sequence[str], what: str, advice: str) -> None:
    """GradebookError unless each of ``rows`` has a value, of its own."""
    missing = [row.id for row, value in zip(rows, values, strict=True) if not value]
    if missing:
        raise GradebookError(f"the roster has no {what} of {named(missing)}; {advice}")
    shared = list(_shared(rows, values))
    if shared:
        raise GradebookError(f"the roster has the same {what} for {named(shared)}; each needs one of their own")


def _shared(rows: Sequence[Row], values: Sequence[str]) -> Iterator[str]:
    seen: dict[str, str] = {}
    for row, value in zip(rows, values, strict=True):
        if seen.setdefault(value.casefold(), row.id) != row.id:
            yield row.id

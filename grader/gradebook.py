"""A class's results, as plain frozen data: a row for each person, and the criteria that are its columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from grader.results import Planned, Status

RowStatus = Literal["graded", "not graded", "absent"]
ChangeKind = Literal["changed", "new row", "vanished row", "new criterion", "vanished criterion"]


class GradebookError(Exception):
    """A class's results cannot be read or written as asked: where, why, and what to do."""


@dataclass(frozen=True, slots=True)
class Score:
    """What came of one criterion."""

    status: Status
    earned: Decimal


@dataclass(frozen=True, slots=True)
class Adjustment:
    """Points that the instructor gave or took afterwards, and why."""

    points: Decimal
    note: str


@dataclass(frozen=True, slots=True)
class Person:
    """Who is in the class, as the roster says: ``id``, and the names that other systems have, by column."""

    id: str
    columns: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a gradebook.

    ``source`` is the name of what was handed in, None if nothing was. Without ``scores`` nothing was graded, and
    ``reason`` says why; that is not the same as no points.
    """

    id: str
    source: str | None
    scores: Mapping[str, Score] | None
    seconds: float = 0.0
    reason: str | None = None
    notes: tuple[str, ...] = ()
    adjustments: tuple[Adjustment, ...] = ()
    person: Person | None = None

    @property
    def status(self) -> RowStatus:
        if self.scores is not None:
            return "graded"
        return "absent" if self.source is None else "not graded"

    @property
    def name(self) -> str:
        """What the roster calls the person; empty if it does not."""
        return "" if self.person is None else self.person.columns.get("name", "")

    @property
    def earned(self) -> Decimal | None:
        """Points of the criteria; None if nothing was graded."""
        if self.scores is None:
            return None
        return sum((score.earned for score in self.scores.values()), Decimal(0))

    @property
    def adjustment(self) -> Decimal | None:
        """Points of the adjustments; None if there are none."""
        return sum((each.points for each in self.adjustments), Decimal(0)) if self.adjustments else None

    @property
    def total(self) -> Decimal | None:
        """Points with the adjustments; None if there are neither."""
        if self.earned is None and self.adjustment is None:
            return None
        return (self.earned or Decimal(0)) + (self.adjustment or Decimal(0))


@dataclass(frozen=True, slots=True)
class Gradebook:
    """The results of a class in one exercise, whose rows are in the order of their ids."""

    exercise: str
    title: str
    criteria: tuple[Planned, ...]
    rows: tuple[Row, ...]

    @property
    def functions(self) -> tuple[str, ...]:
        """The names of the functions, in the order of their criteria."""
        return tuple(dict.fromkeys(criterion.function for criterion in self.criteria))

    @property
    def points(self) -> Decimal:
        return sum((criterion.points for criterion in self.criteria), Decimal(0))


@dataclass(frozen=True, slots=True)
class Record:
    """What a gradebook of an earlier run says of a row. None is a blank: nothing was graded there."""

    id: str
    earned: Decimal | None
    adjustment: Decimal | None
    total: Decimal | None
    criteria: Mapping[str, Decimal | None]


@dataclass(frozen=True, slots=True)
class Change:
    """What a new run made of a row: ``column`` is a criterion's id or another column; None is a blank."""

    id: str
    column: str
    before: Decimal | None
    after: Decimal | None
    kind: ChangeKind = "changed"

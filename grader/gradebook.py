"""A class's results, as plain frozen data: a row for each person, and the criteria that are its columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from grader.results import Planned, Status


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
    def earned(self) -> Decimal | None:
        """Points of the criteria; None if nothing was graded."""
        if self.scores is None:
            return None
        return sum((score.earned for score in self.scores.values()), Decimal(0))

    @property
    def total(self) -> Decimal | None:
        """Points with the adjustments; None if there are neither."""
        if self.earned is None and not self.adjustments:
            return None
        return sum((each.points for each in self.adjustments), self.earned or Decimal(0))


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
class Change:
    """What a new run made of a row: ``column`` is a criterion's id or another column; None is a blank."""

    id: str
    column: str
    before: Decimal | None
    after: Decimal | None

"""What grading found, as plain frozen data. The only thing that renderers see."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

Status = Literal["passed", "failed", "blocked", "todo", "error", "timeout"]
Visibility = Literal["visible", "after_due_date", "after_published", "hidden"]

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Place:
    """A line of the learner's code. ``file`` is relative to the submission."""

    file: str
    line: int
    source: str | None = None


@dataclass(frozen=True, slots=True)
class RankRow:
    """What one rank was doing: its collective (or "returned"), with the shape and dtype it passed."""

    rank: int
    operation: str
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class RankTable:
    """A table with a row per rank: a hang, or ranks that do not agree."""

    rows: tuple[RankRow, ...]


@dataclass(frozen=True, slots=True)
class Held:
    """Bytes that are still allocated, and the line that allocated them."""

    bytes: int
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes on one device at named moments, in order, with the bound that they were held to."""

    points: tuple[tuple[str, int], ...]
    bound: int | None = None
    held: tuple[Held, ...] = ()
    unit: str = "bytes"


@dataclass(frozen=True, slots=True)
class Timeline:
    """Bytes on one device after each allocation and release of a run, in order."""

    rank: int
    bytes: tuple[int, ...]
    labels: tuple[str, ...] = ()
    bound: int | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """Two arrays that should be equal: the first element that differs, and how many do."""

    index: tuple[int, ...]
    expected: str
    actual: str
    count: int
    total: int


Detail = RankTable | Memory | Timeline | Difference
KINDS: Mapping[str, type[Any]] = {
    "ranks": RankTable,
    "memory": Memory,
    "timeline": Timeline,
    "difference": Difference,
}


@dataclass(frozen=True, slots=True)
class Cases:
    """Parameter sets of one criterion."""

    passed: int
    total: int


@dataclass(frozen=True, slots=True)
class Criterion:
    """One criterion of an exercise and what came of it. Points are exact decimals."""

    id: str
    function: str
    title: str
    status: Status
    points: Decimal
    earned: Decimal
    cases: Cases
    visibility: Visibility = "visible"
    message: str | None = None
    call: str | None = None
    world_size: int | None = None
    rank: int | None = None
    expected: str | None = None
    actual: str | None = None
    detail: Detail | None = None
    hint: str | None = None
    where: Place | None = None
    output: str | None = None
    blocked_by: tuple[str, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Function:
    """One function of an exercise with what its criteria earned."""

    name: str
    file: str
    points: Decimal
    earned: Decimal
    statuses: Mapping[Status, int]

    @property
    def criteria(self) -> int:
        return sum(self.statuses.values())


@dataclass(frozen=True, slots=True)
class Next:
    """The one next step: the criterion to work on, in words, and the command to run after."""

    function: str
    criterion: str
    text: str
    command: str


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What is graded somewhere else, so that nobody reads this grade as the whole."""

    criteria: int = 0
    points: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True)
class Grade:
    """The whole result of grading one submission. ``only`` names the functions it was limited to."""

    exercise: str
    title: str
    points: Decimal
    earned: Decimal
    seed: int
    seconds: float
    versions: Mapping[str, str]
    fences: tuple[str, ...]
    functions: tuple[Function, ...]
    criteria: tuple[Criterion, ...]
    notes: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    next: Next | None = None
    elsewhere: Elsewhere = Elsewhere()

    @property
    def complete(self) -> bool:
        """Whether every point was earned."""
        return self.earned == self.points

    @property
    def faulty(self) -> bool:
        """Whether the suite itself failed somewhere, so that there is no score."""
        return any(criterion.status == "error" for criterion in self.criteria)

"""What grading found, as plain frozen data. The only thing that renderers see."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, get_args

Status = Literal["passed", "failed", "blocked", "todo", "error", "timeout"]
Visibility = Literal["visible", "after_due_date", "after_published", "hidden"]
Severity = Literal["error", "warning"]

STATUSES: tuple[Status, ...] = get_args(Status)
FORMAT = 1
DEFAULT_SEED = 1


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
class Span:
    """One operation on a stream of a device, "compute" or "communication", with its start and end in seconds."""

    stream: str
    label: str
    start: float
    end: float
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Timeline:
    """Bytes on one device after each allocation and release of a run, in order.

    ``labels``, ``places`` and ``seconds`` say of each event what it was, its line and its time; ``parts`` are the
    bytes by category, which add up to ``bytes``. What is not known is empty; ``seconds`` and ``spans`` need a clock.
    """

    rank: int
    bytes: tuple[int, ...]
    labels: tuple[str, ...] = ()
    bound: int | None = None
    parts: tuple[tuple[str, tuple[int, ...]], ...] = ()
    places: tuple[Place | None, ...] = ()
    seconds: tuple[float, ...] = ()
    spans: tuple[Span, ...] = ()

    @property
    def peak(self) -> int | None:
        """The number of the first event after which there are most bytes, from 0; None if there is no event."""
        return self.bytes.index(max(self.bytes)) if self.bytes else None


@dataclass(frozen=True, slots=True)
class Difference:
    """Two arrays that should be equal: the first element that differs, and how many do."""

    index: tuple[int, ...]
    expected: str
    actual: str
    count: int
    total: int


Detail = RankTable | Memory | Timeline | Difference


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
class Planned:
    """A criterion as its suite states it, before anything is graded."""

    id: str
    function: str
    title: str
    points: Decimal
    visibility: Visibility = "visible"


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
class MissingFence:
    """What would keep the learner's code further apart and cannot be had on this machine, and why."""

    name: str
    reason: str


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
    missing_fences: tuple[MissingFence, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every point was earned."""
        return self.earned == self.points

    @property
    def faulty(self) -> bool:
        """Whether the suite itself failed somewhere, so that there is no score."""
        return any(criterion.status == "error" for criterion in self.criteria)


@dataclass(frozen=True, slots=True)
class Ungraded:
    """A submission, by its ``id`` in the class, that could not be graded, and why: a sentence without its period."""

    exercise: str
    title: str
    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Edit:
    """Text to put in place of what stands between two places of a file. Lines and columns as in a finding."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong in the content: which rule, where, what, and how to mend it.

    ``path`` is relative to the course. Lines and columns count characters from 1, and the end is the first character
    after; without a line the file as a whole is meant. ``fix`` says what to do; ``edits`` do it, where that is safe.
    """

    rule: str
    severity: Severity
    path: str
    line: int | None
    column: int | None
    end_line: int | None
    end_column: int | None
    message: str
    fix: str | None = None
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """What checking content found, in order. ``rules`` are the ids of those that ran on so many ``files``.

    ``lines`` are the lines in which findings begin, by path and number; ``notes`` say what else is
    to know, such as what was not checked, and why.
    """

    findings: tuple[Finding, ...]
    files: int
    rules: tuple[str, ...]
    lines: Mapping[tuple[str, int], str]
    notes: tuple[str, ...] = ()

    def count(self, severity: Severity) -> int:
        """How many findings are of ``severity``."""
        return sum(finding.severity == severity for finding in self.findings)


def to_plain(result: Grade | Criterion) -> dict[str, Any]:
    """Give a grade or a criterion as dicts, lists, strings and numbers: what JSON and the wire can carry.

    Points become an ``int`` when whole, else the ``float`` whose shortest form is the same decimal.

    >>> to_plain(Criterion("a", "f", "adds", "passed", Decimal("0.5"), Decimal("0.5"), Cases(1, 1)))["points"]
    0.5
    """
    return _grade_to_plain(result) if isinstance(result, Grade) else _criterion_to_plain(result)


def criterion_from_plain(data: Mapping[str, Any]) -> Criterion:
    """Read back what ``to_plain`` made of a criterion; what was left out has its default.

    >>> one = Criterion("a", "f", "adds", "failed", Decimal("0.1"), Decimal(0), Cases(0, 2))
    >>> criterion_from_plain(to_plain(one)) == one
    True
    """
    return Criterion(
        **{
            **data,
            "points": _decimal(data["points"]),
            "earned": _decimal(data["earned"]),
            "cases": Cases(**data["cases"]),
            "detail": _detail_from_plain(data.get("detail")),
            "where": _place_from_plain(data.get("where")),
            "blocked_by": tuple(data.get("blocked_by", ())),
        }
    )


def grade_from_plain(data: Mapping[str, Any]) -> Grade:
    """Read back what ``to_plain`` made of a grade."""
    if data["format"] != FORMAT:
        raise ValueError(f"a grade in format {data['format']}; this version reads format {FORMAT}")
    elsewhere = data["elsewhere"]
    return Grade(
        exercise=data["exercise"],
        title=data["title"],
        points=_decimal(data["points"]),
        earned=_decimal(data["earned"]),
        seed=data["seed"],
        seconds=data["seconds"],
        versions=dict(data["versions"]),
        fences=tuple(data["fences"]),
        functions=tuple(_function_from_plain(function) for function in data["functions"]),
        criteria=tuple(criterion_from_plain(criterion) for criterion in data["criteria"]),
        notes=tuple(data.get("notes", ())),
        only=tuple(data.get("only", ())),
        next=None if data["next"] is None else Next(**data["next"]),
        elsewhere=Elsewhere(elsewhere["criteria"], _decimal(elsewhere["points"])),
        missing_fences=tuple(MissingFence(**each) for each in data.get("missing_fences", ())),
    )


def _grade_to_plain(grade: Grade) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "exercise": grade.exercise,
        "title": grade.title,
        "points": _number(grade.points),
        "earned": _number(grade.earned),
        "elsewhere": {"criteria": grade.elsewhere.criteria, "points": _number(grade.elsewhere.points)},
        "seed": grade.seed,
        "seconds": grade.seconds,
        "versions": dict(grade.versions),
        "fences": list(grade.fences),
        "missing_fences": [dataclasses.asdict(each) for each in grade.missing_fences],
        "only": list(grade.only),
        "notes": list(grade.notes),
        "functions": [_function_to_plain(function) for function in grade.functions],
        "next": None if grade.next is None else dataclasses.asdict(grade.next),
        "criteria": [_criterion_to_plain(criterion) for criterion in grade.criteria],
    }


def _function_to_plain(function: Function) -> dict[str, Any]:
    return {
        "name": function.name,
        "file": function.file,
        "points": _number(function.points),
        "earned": _number(function.earned),
        "criteria": function.criteria,
        **{status: function.statuses.get(status, 0) for status in STATUSES},
    }


def _function_from_plain(data: Mapping[str, Any]) -> Function:
    statuses = {status: data[status] for status in STATUSES if data.get(status)}
    return Function(data["name"], data["file"], _decimal(data["points"]), _decimal(data["earned"]), statuses)


def _criterion_to_plain(criterion: Criterion) -> dict[str, Any]:
    values = {field.name: getattr(criterion, field.name) for field in dataclasses.fields(criterion)}
    return values | {
        "points": _number(criterion.points),
        "earned": _number(criterion.earned),
        "cases": {"passed": criterion.cases.passed, "total": criterion.cases.total},
        "detail": _detail_to_plain(criterion.detail),
        "where": _place_to_plain(criterion.where),
        "blocked_by": list(criterion.blocked_by),
    }


def _detail_to_plain(detail: Detail | None) -> dict[str, Any] | None:
    match detail:
        case None:
            return None
        case RankTable(rows):
            return {"kind": "ranks", "rows": [_row_to_plain(row) for row in rows]}
        case Memory():
            return {
                "kind": "memory",
                "unit": detail.unit,
                "points": [list(point) for point in detail.points],
                "bound": detail.bound,
                "held": [{"bytes": held.bytes, "allocated": _place_to_plain(held.place)} for held in detail.held],
            }
        case Timeline():
            return {
                "kind": "timeline",
                "rank": detail.rank,
                "bytes": list(detail.bytes),
                "labels": list(detail.labels),
                "bound": detail.bound,
                "parts": {name: list(counts) for name, counts in detail.parts},
                "places": [_place_to_plain(place) for place in detail.places],
                "seconds": list(detail.seconds),
                "spans": [dataclasses.asdict(span) for span in detail.spans],
            }
        case Difference():
            return {"kind": "difference", **dataclasses.asdict(detail), "index": list(detail.index)}


def _detail_from_plain(data: Mapping[str, Any] | None) -> Detail | None:
    if data is None:
        return None
    match data["kind"]:
        case "ranks":
            return RankTable(tuple(_row_from_plain(row) for row in data["rows"]))
        case "memory":
            return Memory(
                points=tuple((label, count) for label, count in data["points"]),
                bound=data["bound"],
                held=tuple(Held(held["bytes"], _place_from_plain(held["allocated"])) for held in data["held"]),
                unit=data["unit"],
            )
        case "timeline":
            return Timeline(
                rank=data["rank"],
                bytes=tuple(data["bytes"]),
                labels=tuple(data["labels"]),
                bound=data["bound"],
                parts=tuple((name, tuple(counts)) for name, counts in data.get("parts", {}).items()),
                places=tuple(_place_from_plain(place) for place in data.get("places", ())),
                seconds=tuple(data.get("seconds", ())),
                spans=tuple(
                    Span(**{**span, "place": _place_from_plain(span["place"])}) for span in data.get("spans", ())
                ),
            )
        case "difference":
            fields = {name: value for name, value in data.items() if name != "kind"}
            return Difference(**(fields | {"index": tuple(data["index"])}))
        case kind:
            raise ValueError(f"no kind of detail is called {kind!r}")


def _row_to_plain(row: RankRow) -> dict[str, Any]:
    data: dict[str, Any] = {
        "rank": row.rank,
        "operation": row.operation,
        "shape": None if row.shape is None else list(row.shape),
        "dtype": row.dtype,
        "file": None if row.place is None else row.place.file,
        "line": None if row.place is None else row.place.line,
    }
    if row.place is not None and row.place.source is not None:
        data["source"] = row.place.source
    return data


def _row_from_plain(data: Mapping[str, Any]) -> RankRow:
    return RankRow(
        rank=data["rank"],
        operation=data["operation"],
        shape=None if data["shape"] is None else tuple(data["shape"]),
        dtype=data["dtype"],
        place=None if data["file"] is None else Place(data["file"], data["line"], data.get("source")),
    )


def _place_to_plain(place: Place | None) -> dict[str, Any] | None:
    return None if place is None else {"file": place.file, "line": place.line, "source": place.source}


def _place_from_plain(data: Mapping[str, Any] | None) -> Place | None:
    return None if data is None else Place(**data)


def _number(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)


def _decimal(value: int | float) -> Decimal:
    return Decimal(str(value))

"""The words of a report that do not depend on its format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_DOWN, Decimal

from grader.report._learner_text import lines, one_line
from grader.results import (
    Criterion,
    Difference,
    Grade,
    Memory,
    Next,
    Place,
    RankRow,
    RankTable,
    Status,
    Timeline,
)

HELD_SHOWN = 5
RANKS_HEAD, RANKS_TAIL, RANKS_SHOWN = 10, 2, 16
RANK_COLUMNS = ("rank", "waits in", "shape", "dtype", "your line")
COUNTED: Mapping[Status, str] = {
    "passed": "passed",
    "failed": "failed",
    "timeout": "timed out",
    "error": "broken in the suite",
    "blocked": "blocked",
    "todo": "not written yet",
}
PROBLEMS: Mapping[Status, str] = {"failed": "FAILED", "timeout": "TIMEOUT", "error": "ERROR"}
FAULT = "the suite is broken here, not your code; nothing is scored"


def points(points: Decimal) -> str:
    """Points with at most two decimals, never rounded up to what was not earned."""
    rounded = points.quantize(Decimal("0.01"), ROUND_DOWN)
    return f"{rounded.normalize():f}"


def score(grade: Grade) -> str:
    """What was earned, if anything can be."""
    return "no score" if grade.faulty else f"{points(grade.earned)} of {points(grade.points)} points"


def name(criterion: Criterion) -> str:
    """A criterion as a heading."""
    return f"{criterion.function}: {criterion.title}"


def brief(criterion: Criterion) -> str:
    """Why a criterion was not earned, in a line."""
    return one_line(criterion.message or criterion.actual or COUNTED[criterion.status])


def counts(statuses: Mapping[Status, int], *, bare: bool = False) -> str:
    """Count in words; ``bare`` leaves the number out where nothing is written yet."""
    counted = [(statuses[status], words) for status, words in COUNTED.items() if statuses.get(status)]
    if bare and counted and counted[0][1] == COUNTED["todo"]:
        return COUNTED["todo"]
    return ", ".join(f"{count} {words}" for count, words in counted)


def called(criterion: Criterion) -> str | None:
    """The call and where it ran."""
    ranks = criterion.world_size
    where = None if ranks is None else f"on {ranks} {'rank' if ranks == 1 else 'ranks'}"
    if criterion.rank is not None and "rank" not in (criterion.actual or ""):
        where = f"on rank {criterion.rank}" if ranks is None else f"on rank {criterion.rank} of {ranks}"
    if criterion.call is None:
        return None if where is None else f"{criterion.function}, {where}"
    call = one_line(criterion.call)
    return call if where is None else f"{call}, {where}"


def actual(criterion: Criterion) -> list[str]:
    """The lines of what came instead."""
    if criterion.actual is None:
        return []
    shown = lines(criterion.actual)
    passed, total = criterion.cases.passed, criterion.cases.total
    if shown and passed and passed < total:
        verb = "is" if passed == 1 else "are"
        shown[-1] += f"; {passed} of the {total} cases {verb} right"
    return shown


def places_shown(criterion: Criterion) -> bool:
    """Whether the detail names the places in the learner's code by itself."""
    match criterion.detail:
        case RankTable(rows):
            return any(row.place is not None for row in rows)
        case Memory():
            return any(held.place is not None for held in criterion.detail.held)
        case _:
            return False


def place(place: Place, separator: str) -> str:
    """A line of the learner's code in words."""
    source = "" if place.source is None else separator + one_line(place.source)
    return f"{one_line(place.file)}:{place.line}{source}"


def rank_cells(row: RankRow) -> tuple[str, ...]:
    """A row of a table of ranks, under ``RANK_COLUMNS``."""
    place = "-" if row.place is None else f"{one_line(row.place.file)}:{row.place.line}"
    shape = "-" if row.shape is None else str(row.shape)
    return str(row.rank), one_line(row.operation), shape, one_line(row.dtype or "-"), place


def ranks_left_out(count: int) -> range:
    """Which rows of a table of ``count`` ranks are not shown."""
    return range(RANKS_HEAD, count - RANKS_TAIL) if count > RANKS_SHOWN else range(0)


def difference_at(difference: Difference) -> str:
    """Where the first difference is, and how many there are."""
    index = ", ".join(map(str, difference.index))
    at = f"first difference at [{index}]" if index else "the value differs"
    if difference.total > 1:
        at += f"; {difference.count:,} of {difference.total:,} elements differ"
    return at


def first_difference(difference: Difference) -> tuple[int, str, str]:
    """How many characters are the same at the start, the expected element and the actual one."""
    expected, actual = one_line(difference.expected), one_line(difference.actual)
    pairs = enumerate(zip(expected, actual, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(expected), len(actual))), expected, actual


def too_many(memory: Memory) -> tuple[int, int] | None:
    """The last point of ``memory`` that is above its bound, and by how much."""
    if memory.bound is None:
        return None
    above = [(place, count - memory.bound) for place, (_, count) in enumerate(memory.points) if count > memory.bound]
    return above[-1] if above else None


def timeline_title(timeline: Timeline) -> str:
    """The peak, and what allocated it."""
    peak = max(timeline.bytes, default=0)
    title = f"rank {timeline.rank}, peak {peak:,} bytes"
    if len(timeline.labels) == len(timeline.bytes) and peak:
        label = timeline.labels[timeline.bytes.index(peak)]
        title += f" at {one_line(label)}" if label else ""
    return title if timeline.bound is None else f"{title}, at most {timeline.bound:,} allowed"


def summary(grade: Grade) -> str:
    """How many criteria there are, what came of them, and the seed."""
    counted: dict[Status, int] = {}
    for criterion in grade.criteria:
        counted[criterion.status] = counted.get(criterion.status, 0) + 1
    noun = "criterion" if len(grade.criteria) == 1 else "criteria"
    came = f": {counts(counted)}" if counted else ""
    return f"{len(grade.criteria)} {noun}{came}. {grade.seconds:.2f} s, seed {grade.seed}."


def left_out(grade: Grade) -> Iterator[str]:
    """Why this grade is not the whole, in sentences."""
    hidden = sum(criterion.visibility != "visible" for criterion in grade.criteria)
    elsewhere = grade.elsewhere
    if grade.only:
        were = "was" if len(grade.only) == 1 else "were"
        yield f"Only {listed(grade.only)} {were} graded: this is not the whole exercise."
    if hidden:
        yield f"Hidden criteria: {hidden}. Their inputs and expected values are not shown."
    if elsewhere.criteria:
        yield f"Graded elsewhere: {elsewhere.criteria} more, worth {points(elsewhere.points)} points."


def begins(grade: Grade) -> bool:
    """Whether nothing is written yet."""
    return all(criterion.status == "todo" for criterion in grade.criteria)


def hint_command(step: Next) -> str:
    """The command that tells a hint for the next step."""
    return step.command.replace("course grade", "course hint", 1).replace("--only ", "", 1)


def verdict(grade: Grade) -> str | None:
    """The last sentence of a report of which there is no next step."""
    if grade.faulty:
        return "The suite is at fault, so there is no score. Your work is as it was."
    if grade.next is not None or any(criterion.status != "passed" for criterion in grade.criteria):
        return None
    whole = grade.criteria and not any(left_out(grade))
    return "Done: every criterion passed." if whole else "Nothing to mend in what is shown here."


def listed(names: Sequence[str]) -> str:
    """Names in a sentence."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"

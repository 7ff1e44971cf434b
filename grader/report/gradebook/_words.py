"""The words of a summary that do not depend on its format: what a class's results come to, in sections."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import get_args

from grader.gradebook import Gradebook, Row, RowStatus
from grader.report._learner_text import one_line
from grader.report.findings._words import counted
from grader.report.gradebook import named
from grader.report.gradebook._cells import number
from grader.results import Planned, Status

BINS = 10
LONGEST_BAR = 40
MISSED = 10
SLOWEST = 5
FEW = 3


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a summary: sentences, then a chart of plain characters, then items of a line each."""

    title: str
    text: str
    chart: tuple[str, ...] = ()
    items: tuple[str, ...] = ()


def sections(gradebook: Gradebook) -> Iterator[Section]:
    """What there is to say of ``gradebook``, the most important first; nothing of what did not happen."""
    statuses = Counter(row.status for row in gradebook.rows)
    counts = ", ".join(f"{statuses[status]:,} {status}" for status in get_args(RowStatus) if statuses[status])
    rows = counted(len(gradebook.rows), "row")
    yield Section("Class", f"{rows}: {counts}." if counts else f"{rows}.")
    totals = sorted(row.total for row in gradebook.rows if row.total is not None)
    if totals:
        yield _distribution(totals, gradebook.points)
    graded = [row for row in gradebook.rows if row.scores is not None]
    for section in (_missed(gradebook.criteria, graded), _timeouts(graded), _slowest(graded), _reasons(gradebook.rows)):
        if section.items:
            yield section


def bins(totals: Sequence[Decimal], points: Decimal) -> list[tuple[Decimal, Decimal, int]]:
    """Ten equal parts from 0 to ``points``, or further if totals are, and how many totals are in each.

    A total on a border counts in the upper part, the highest in the last.

    >>> [count for _, _, count in bins([Decimal(0), Decimal(1), Decimal(10)], Decimal(10))]
    [1, 1, 0, 0, 0, 0, 0, 0, 0, 1]
    """
    low, high = min(*totals, Decimal(0)), max(*totals, points)
    if low == high:
        return [(low, high, len(totals))]
    width = (high - low) / BINS
    counts = Counter(min(int((total - low) / width), BINS - 1) for total in totals)
    return [(low + at * width, low + (at + 1) * width, counts[at]) for at in range(BINS)]


def rounded(value: Decimal, exact: bool) -> str:
    """A number as it is, or to two decimals and said to be about that."""
    return number(value) if exact else f"about {value:.2f}"


def _distribution(totals: Sequence[Decimal], points: Decimal) -> Section:
    """What totals in ascending order come to.

    >>> _distribution([Decimal(0)] * 2 + [Decimal(1)] * 10, Decimal(1)).text.partition(",")[0]
    'Totals of 1 points: mean about 0.83'
    """
    mean = statistics.mean(totals)
    exact = Fraction(mean) * len(totals) == Fraction(sum(totals))
    # One total alone is too few for `quantiles`.
    low, median, high = statistics.quantiles(totals if len(totals) > 1 else [*totals, *totals], n=4, method="inclusive")
    text = (
        f"Totals of {number(points)} points: mean {rounded(mean, exact)}, median {number(median)}, "
        f"quartiles {number(low)} and {number(high)}, lowest {number(totals[0])}, highest {number(totals[-1])}."
    )
    parts = bins(totals, points)
    most = max(count for _, _, count in parts)
    starts, ends = ([number(each) for each in column] for column in list(zip(*parts, strict=True))[:2])
    left, right, wide = (max(map(len, column)) for column in (starts, ends, [f"{count:,}" for _, _, count in parts]))
    chart = (
        f"{start:>{left}} to {end:>{right}}  {count:>{wide},}  {'#' * -(-count * LONGEST_BAR // most)}".rstrip()
        for start, end, (_, _, count) in zip(starts, ends, parts, strict=True)
    )
    return Section("Distribution", text, chart=tuple(chart))


def _missed(criteria: Sequence[Planned], graded: Sequence[Row]) -> Section:
    missed = Counter(id for row in graded for id in _with(row, lambda status: status != "passed"))
    found = sorted((each for each in criteria if missed[each.id]), key=lambda each: -missed[each.id])
    items = (
        f"{missed[each.id]:,} ({missed[each.id] / len(graded):.0%}) {each.id} of {each.function}(), "
        f"{each.visibility.replace('_', ' ')}: {one_line(each.title)}"
        for each in found[:MISSED]
    )
    which = "Criteria" if len(found) <= MISSED else f"The {MISSED} of {len(found)} criteria"
    text = f"{which} that most did not pass, of {counted(len(graded), 'graded row')}:"
    return Section("Most missed", text, items=tuple(items))


def _timeouts(graded: Sequence[Row]) -> Section:
    late = ((row, list(_with(row, lambda status: status == "timeout"))) for row in graded)
    items = (f"{_who(row)}: {named(ids, FEW)}" for row, ids in late if ids)
    return Section("Timeouts", "Who ran out of time, and in which criteria:", items=tuple(items))


def _slowest(graded: Sequence[Row]) -> Section:
    slowest = sorted(graded, key=lambda row: -row.seconds)[:SLOWEST]
    items = (f"{_who(row)}: {row.seconds:.1f} s" for row in slowest)
    return Section("Slowest", "What took longest to grade:", items=tuple(items))


def _reasons(rows: Sequence[Row]) -> Section:
    items = (f"{_who(row)}: {one_line(row.reason)}" for row in rows if row.reason)
    return Section("Reasons", "Rows that come with a reason:", items=tuple(items))


def _who(row: Row) -> str:
    return f"{one_line(row.id)} ({one_line(row.name)})" if row.name else one_line(row.id)


def _with(row: Row, wanted: Callable[[Status], bool]) -> Iterator[str]:
    return (id for id, score in (row.scores or {}).items() if wanted(score.status))

"""What a new run changed, against the gradebook of the run before."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from hypothesis import given

from grader.batch.changes import find_changes
from grader.gradebook import Adjustment, Change, Gradebook, Row, Score
from grader.report.gradebook.csv import read_gradebook, render
from grader.results import Planned
from tests.report.gradebook.classes import gradebooks

EVEN = Planned("shard-even", "shard", "even", Decimal(2))
UNEVEN = Planned("shard-uneven", "shard", "uneven", Decimal(2))
ODD = Planned("shard-odd", "shard", "odd", Decimal(2))


def row(id: str, earned: Mapping[str, int] | None, *adjusted: int) -> Row:
    scores = None if earned is None else {each: Score("passed", Decimal(points)) for each, points in earned.items()}
    return Row(id, id, scores, adjustments=tuple(Adjustment(Decimal(points), "") for points in adjusted))


def class_of(*rows: Row, criteria: tuple[Planned, ...] = (EVEN, UNEVEN)) -> Gradebook:
    return Gradebook("lesson10", "Shard", criteria, rows)


def changes(before: Gradebook, after: Gradebook) -> list[Change]:
    return list(find_changes(read_gradebook(render(before)), after))


@given(gradebooks())
def test_the_same_class_did_not_change(gradebook: Gradebook) -> None:
    assert changes(gradebook, gradebook) == []


@given(gradebooks(), gradebooks())
def test_the_changes_lead_from_the_totals_before_to_those_after(before: Gradebook, after: Gradebook) -> None:
    totals = {each.id: each.total for each in before.rows}
    for change in changes(before, after):
        if change.column == "total":
            assert totals.pop(change.id, None) == change.before
            if change.kind != "vanished row":
                totals[change.id] = change.after
    assert totals == {each.id: each.total for each in after.rows}


def test_a_regrade_says_from_what_to_what_and_by_which_criterion() -> None:
    before = class_of(row("a", {"shard-even": 2, "shard-uneven": 0}), row("b", {"shard-even": 0, "shard-uneven": 2}))
    after = class_of(row("a", {"shard-even": 2, "shard-uneven": 1}), row("b", {"shard-even": 2, "shard-uneven": 0}))
    assert changes(before, after) == [
        Change("a", "total", Decimal(2), Decimal(3)),
        Change("a", "shard-uneven", Decimal(0), Decimal(1)),
        Change("b", "shard-even", Decimal(0), Decimal(2)),
        Change("b", "shard-uneven", Decimal(2), Decimal(0)),
    ]


def test_an_adjustment_is_a_change() -> None:
    earned = {"shard-even": 2, "shard-uneven": 0}
    assert changes(class_of(row("a", earned)), class_of(row("a", earned, -3, 1))) == [
        Change("a", "total", Decimal(2), Decimal(0)),
        Change("a", "adjustment", None, Decimal(-2)),
    ]


def test_a_grade_for_what_was_not_graded_is_what_was_earned_in_all() -> None:
    ungraded, worthless = class_of(row("a", None, 1)), class_of(row("a", {"shard-even": 0, "shard-uneven": 0}, 1))
    assert changes(ungraded, worthless) == [Change("a", "earned", None, Decimal(0))]
    assert changes(worthless, ungraded) == [Change("a", "earned", Decimal(0), None)]


def test_rows_that_are_new_or_gone() -> None:
    before = class_of(row("a", {"shard-even": 2, "shard-uneven": 0}), row("b", None))
    after = class_of(row("c", None), row("b", None), row("d", {"shard-even": 2, "shard-uneven": 2}))
    assert changes(before, after) == [
        Change("c", "total", None, None, "new row"),
        Change("d", "total", None, Decimal(4), "new row"),
        Change("a", "total", Decimal(2), None, "vanished row"),
    ]


def test_criteria_that_are_new_or_gone() -> None:
    before = class_of(row("a", {"shard-even": 2, "shard-uneven": 1}), row("b", None))
    after = class_of(row("a", {"shard-even": 2, "shard-odd": 0}), row("b", None), criteria=(ODD, EVEN))
    assert changes(before, after) == [
        Change("a", "total", Decimal(3), Decimal(2)),
        Change("a", "shard-odd", None, Decimal(0), "new criterion"),
        Change("a", "shard-uneven", Decimal(1), None, "vanished criterion"),
    ]

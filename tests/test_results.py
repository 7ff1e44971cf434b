"""Results survive the way through plain data."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from grader.results import (
    Cases,
    Criterion,
    Detail,
    Difference,
    Elsewhere,
    Function,
    Grade,
    Held,
    Memory,
    Next,
    Place,
    RankRow,
    RankTable,
    Span,
    Timeline,
    criterion_from_plain,
    grade_from_plain,
    to_plain,
)

DETAILS: list[Detail | None] = [
    None,
    RankTable((RankRow(0, "all_gather", (2, 3), "float32", Place("a.py", 4, "x")), RankRow(1, "returned"))),
    Memory((("after shard", 32), ("after gather", 160)), 32, (Held(128, Place("a.py", 3)), Held(1)), "bytes"),
    Timeline(2, (0, 8, 16, 8), ("", "gather"), 16),
    Timeline(
        0,
        (8, 0),
        ("empty", "release"),
        None,
        (("at rest", (0, 0)), ("gradients", (8, 0))),
        (Place("a.py", 1), None),
        (0.5, 1.5),
        (Span("compute", "matmul", 0.0, 0.5, Place("a.py", 2)), Span("communication", "send", 0.25, 1.0)),
    ),
    Difference((1, 0), "2.0", "3.0", 4, 15),
]


def criterion(detail: Detail | None = None) -> Criterion:
    return Criterion(
        "f-adds", "f", "adds", "failed", Decimal("0.3"), Decimal("0.1"), Cases(1, 3), "hidden",
        "Wrong.", "f(1)", 4, 2, "1", "2", detail, "Think.", Place("f.py", 3, "return 2"), "out", ("b",), 0.2,
    )  # fmt: skip


def grade() -> Grade:
    return Grade(
        "lesson10", "Shard", Decimal(1), Decimal("0.1"), 1, 0.5, {"course": "1"}, ("rlimits",),
        (Function("f", "f.py", Decimal("0.3"), Decimal("0.1"), {"failed": 1}),), (criterion(),),
        ("a note",), ("f",), Next("f", "f-adds", "fix f", "course grade f"), Elsewhere(2, Decimal("0.7")),
    )  # fmt: skip


@pytest.mark.parametrize("detail", DETAILS, ids=lambda detail: type(detail).__name__)
def test_a_criterion_survives_json(detail: Detail | None) -> None:
    one = criterion(detail)
    assert criterion_from_plain(json.loads(json.dumps(to_plain(one)))) == one


def test_a_timeline_of_before_there_were_parts_reads_back() -> None:
    old = {"kind": "timeline", "rank": 0, "bytes": [8, 0], "labels": [], "bound": None}
    assert criterion_from_plain(to_plain(criterion()) | {"detail": old}).detail == Timeline(0, (8, 0))


def test_a_grade_survives_json() -> None:
    one = grade()
    assert grade_from_plain(json.loads(json.dumps(to_plain(one)))) == one


def test_whole_points_are_integers_and_others_keep_their_digits() -> None:
    plain = json.dumps([to_plain(grade())["points"], to_plain(criterion())["points"]])
    assert plain == "[1, 0.3]"


def test_a_newer_format_is_refused() -> None:
    with pytest.raises(ValueError, match="format 99"):
        grade_from_plain(to_plain(grade()) | {"format": 99})


def test_an_unknown_detail_is_refused() -> None:
    with pytest.raises(ValueError, match="'picture'"):
        criterion_from_plain(to_plain(criterion()) | {"detail": {"kind": "picture"}})

"""A summary: its numbers, its words at 80 columns, and text of people in Markdown."""

from __future__ import annotations

import dataclasses
import re
import statistics
import unicodedata
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from grader.gradebook import Gradebook, Row, Score
from grader.report import Options
from grader.report._markup import markdown
from grader.report.gradebook import summary, text
from grader.report.gradebook._words import bins, sections
from grader.results import Planned, Status
from tests.report.gradebook.classes import FOLDER, names, points, read_class

ODD = read_class(FOLDER / "odd_names")
EVEN = Planned("shard-even", "shard", "splits evenly", Decimal(12))


def class_of(*earned: str | int, status: Status = "passed") -> Gradebook:
    rows = (Row(f"r{at}", "x", {EVEN.id: Score(status, Decimal(each))}) for at, each in enumerate(earned))
    return Gradebook("lesson10", "Shard", (EVEN,), tuple(rows))


def said(gradebook: Gradebook, title: str) -> str:
    return next(section.text for section in sections(gradebook) if section.title == title)


def listed(gradebook: Gradebook, title: str) -> list[str]:
    return [item for section in sections(gradebook) if section.title == title for item in section.items]


@pytest.mark.parametrize(
    ("earned", "words"),
    [
        ((0, 6, 12), "mean 6, median 6, quartiles 3 and 9, lowest 0, highest 12."),
        ((1, 2, 4, 7), "mean 3.5, median 3, quartiles 1.75 and 4.75, lowest 1, highest 7."),
        ((1, 1, 2), "mean about 1.33, median 1, quartiles 1 and 1.5, lowest 1, highest 2."),
        (("0.125",), "mean 0.125, median 0.125, quartiles 0.125 and 0.125, lowest 0.125, highest 0.125."),
    ],
)
def test_the_distribution_is_exact_where_it_can_be(earned: tuple[str | int, ...], words: str) -> None:
    assert said(class_of(*earned), "Distribution") == f"Totals of 12 points: {words}"


@given(st.lists(points, min_size=1, max_size=30), points.map(abs))
def test_every_total_is_in_its_bin(totals: list[Decimal], most: Decimal) -> None:
    parts = bins(totals, most)
    assert sum(count for _, _, count in parts) == len(totals)
    assert len(parts) == 10 or parts[0][0] == parts[0][1]
    for at, (start, end, count) in enumerate(parts):
        last = at == len(parts) - 1
        assert count == sum(start <= total < end or (last and total == end) for total in totals)
    assert [end for _, end, _ in parts[:-1]] == [start for start, _, _ in parts[1:]]


@given(st.lists(points, min_size=2, max_size=20))
def test_quartiles_are_those_of_fractions(totals: list[Decimal]) -> None:
    low, median, high = statistics.quantiles(map(Fraction, totals), n=4, method="inclusive")
    words = re.search("median (.*), quartiles (.*) and (.*), lowest", said(class_of(*map(str, totals)), "Distribution"))
    assert words is not None
    assert [Fraction(word) for word in words.groups()] == [median, low, high]


def test_who_is_graded_is_counted() -> None:
    assert said(ODD, "Class") == "6 rows: 3 graded, 1 not graded, 2 absent."


def test_the_most_missed_criteria_come_first_and_say_if_they_are_hidden() -> None:
    assert listed(ODD, "Most missed") == [
        "2 (67%) shard-uneven of shard(), hidden: splits a size that does not divide evenly",
        "2 (67%) reduce_gradient-adds of reduce_gradient(), after due date: adds what all ranks | hold",
        "1 (33%) shard-even of shard(), visible: splits a size that divides evenly",
    ]


def test_what_did_not_happen_is_not_said() -> None:
    assert [section.title for section in sections(class_of(12, 12))] == ["Class", "Distribution", "Slowest"]
    assert [section.title for section in sections(Gradebook("lesson10", "Shard", (), ()))] == ["Class"]


def test_only_ten_criteria_are_the_most_missed() -> None:
    many = tuple(dataclasses.replace(EVEN, id=f"shard-{at}") for at in range(12))
    row = Row("a", "a", {each.id: Score("failed", Decimal(0)) for each in many})
    gradebook = Gradebook("lesson10", "Shard", many, (row,))
    assert said(gradebook, "Most missed") == "The 10 of 12 criteria that most did not pass, of 1 graded row:"
    assert len(listed(gradebook, "Most missed")) == 10


def test_the_slowest_come_first() -> None:
    rows = tuple(dataclasses.replace(row, seconds=at) for at, row in enumerate(class_of(*range(7)).rows))
    slow = dataclasses.replace(class_of(), rows=rows)
    assert listed(slow, "Slowest") == [f"r{at}: {at}.0 s" for at in (6, 5, 4, 3, 2)]


def test_a_terminal_shows_the_first_of_a_long_list_and_counts_the_rest() -> None:
    late = class_of(*[0] * 14, status="timeout")
    shown = text.render(late)
    assert "- r4: shard-even\nand 9 more\n" in shown
    assert "r5: shard-even" not in shown
    assert "- r13: shard-even\n" in text.render(late, Options(verbose=True))
    assert "- r13: shard-even\n" in summary.render(late)


@given(names)
def test_a_terminal_has_lines_of_80_columns_and_nothing_that_acts_on_it(name: str) -> None:
    rows = tuple(dataclasses.replace(row, id=name * 20, reason=name * 9) for row in ODD.rows)
    shown = text.render(dataclasses.replace(ODD, rows=rows))
    assert all(cell_len(line) <= 80 for line in shown.split("\n"))
    assert {unicodedata.category(character) for character in shown} & {"Cc", "Cf", "Zl", "Zp"} == {"Cc"}
    assert shown.count("\n") == sum(unicodedata.category(character) == "Cc" for character in shown)


def test_items_of_markdown_are_those_of_the_terminal() -> None:
    shown = summary.render(ODD)
    for section in sections(ODD):
        assert f"## {section.title}\n\n{markdown(section.text)}\n" in shown
        assert all(f"\n- {markdown(item)}\n" in shown for item in section.items)

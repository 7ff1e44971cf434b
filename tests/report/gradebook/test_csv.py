"""The gradebook as a table: read back it is what it was, and nothing in it is a formula."""

from __future__ import annotations

import csv
import dataclasses
import io
import re
from decimal import Decimal

import pytest
from hypothesis import given

from grader.gradebook import Gradebook, GradebookError
from grader.report.gradebook._cells import number, text, unguarded
from grader.report.gradebook.csv import read_gradebook, render
from tests.report.gradebook.classes import FOLDER, gradebooks, names, points, read_class

ODD = read_class(FOLDER / "odd_names")
HEADER = "id,status,reason,source,notes,earned,adjustment,total,of,shard(),shard-even\r\n"


def cells(rendered: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(rendered.removeprefix("\ufeff"), newline=""), strict=True))


@given(gradebooks())
def test_what_was_written_is_read_back(gradebook: Gradebook) -> None:
    written = render(gradebook).encode().decode("utf-8-sig")
    for record, row in zip(read_gradebook(written), gradebook.rows, strict=True):
        scores = row.scores or {}
        assert (record.id, record.earned, record.adjustment) == (row.id, row.earned, row.adjustment)
        assert record.total == row.total
        assert record.criteria == {
            each.id: scores[each.id].earned if row.scores is not None else None for each in gradebook.criteria
        }


@given(gradebooks())
def test_every_cell_is_the_text_or_the_number_that_it_was(gradebook: Gradebook) -> None:
    header, *rows = cells(render(gradebook))
    for line, row in zip(rows, gradebook.rows, strict=True):
        found = dict(zip(header, line, strict=True))
        assert found["status"] == row.status
        assert unguarded(found["reason"]) == (row.reason or "")
        assert unguarded(found["source"]) == (row.source or "")
        assert unguarded(found.get("name", "")) == row.name
        assert unguarded(found["notes"]).startswith(row.notes[0])
        assert all(each.note in found["notes"] for each in row.adjustments)
        assert found["of"] == "3.625"
        shown = {column: cell for column, cell in found.items() if column[-2:] == "()"}
        of = [["id-even", "id-odd"], ["total-all"]]
        sums = [sum((row.scores[id].earned for id in ids), Decimal(0)) if row.scores else None for ids in of]
        assert shown == {"id()": number(sums[0]), "total()": number(sums[1])}


@given(gradebooks())
def test_no_cell_is_a_formula(gradebook: Gradebook) -> None:
    for line in cells(render(gradebook)):
        for cell in line:
            assert cell[:1] not in tuple("=+-@\t\r") or re.fullmatch(r"-[0-9]+(\.[0-9]+)?", cell)


@given(points)
def test_numbers_are_exact_and_plain(value: Decimal) -> None:
    written = number(value)
    assert re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?", written)
    assert Decimal(written) == value
    assert written != "-0"


@given(names)
def test_a_guard_comes_off_as_it_went_on(name: str) -> None:
    assert unguarded(text(name)) == name


def test_what_utf8_cannot_hold_is_written_as_python_writes_it() -> None:
    assert text("a\udcff") == "a\\udcff"


def test_blank_is_not_zero() -> None:
    header, *rows = cells(render(ODD))
    by_id = {row[0]: dict(zip(header, row, strict=True)) for row in rows}
    worth_nothing, not_graded = by_id["10"], by_id["ada_*l*"]
    columns = ("earned", "total", "shard()", "shard-uneven", "reduce_gradient-adds")
    assert [worth_nothing[column] for column in columns] == ["0"] * 5
    assert [not_graded[column] for column in columns] == [""] * 5
    assert worth_nothing["adjustment"] == not_graded["adjustment"] == ""


def test_what_is_too_long_for_a_cell_is_cut() -> None:
    (row, *_) = ODD.rows
    long = dataclasses.replace(row, scores=None, reason=f"KeyError: {'x' * 200_000!r}", notes=("y" * 200_000,))
    rendered = render(dataclasses.replace(ODD, rows=(long,)))
    assert [record.id for record in read_gradebook(rendered)] == [row.id]
    found = dict(zip(*cells(rendered), strict=True))
    assert found["reason"].startswith("KeyError: 'xxx")
    assert "characters left out" in found["reason"]
    assert len(found["notes"]) < 1_000


def test_seconds_change_nothing() -> None:
    slower = tuple(dataclasses.replace(row, seconds=row.seconds + 1) for row in ODD.rows)
    assert render(dataclasses.replace(ODD, rows=slower)) == render(ODD)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "line 1: the columns begin with ''"),
        (HEADER.replace(",", ";"), "line 1: the columns begin with 'id;status"),
        (HEADER.replace("earned,", ""), "line 1: the columns begin with"),
        (HEADER.replace("shard-even", "shard()"), "line 1: there are two columns `shard()`"),
        (HEADER + "a,graded,,,,1,,1,2,1\r\n", "line 2: 10 cells under 11 columns"),
        (HEADER + "a,passed,,,,1,,1,2,1,1\r\n", "line 2: the status is 'passed', not one of graded"),
        (
            HEADER + 'a,graded,"x\n",,,1,,1,2,1,1\r\nb,graded,,,,"1,5",,1,2,1,1\r\n',
            "line 4: `earned` is '1,5'",
        ),
        (HEADER + "a,graded,,,,1E+1,,1,2,1,1\r\n", "line 2: `earned` is '1E+1'"),
        (HEADER + "a,graded,,,,1,,1,2,1,NaN\r\n", "line 2: `shard-even` is 'NaN'"),
        (HEADER + "a,absent,,,,,,,2,,\r\n" * 2, "line 3: a second row of 'a'"),
        (HEADER + "\r\n", "line 2: 0 cells under 11 columns"),
        (HEADER + 'a,graded,"x', "line 2: unexpected end of data"),
        (HEADER + 'a,graded,"x"y,,,1,,1,2,1,1\r\n', "line 2: ',' expected after '\"'"),
    ],
)
def test_an_edited_gradebook_is_refused_with_the_line(content: str, said: str) -> None:
    with pytest.raises(GradebookError, match=re.escape(said)) as refused:
        read_gradebook(content)
    assert "put the file back as it was, or move it away" in str(refused.value)


def test_a_class_without_a_roster_has_no_names() -> None:
    rows = tuple(dataclasses.replace(row, person=None) for row in ODD.rows)
    assert cells(render(dataclasses.replace(ODD, rows=rows)))[0][:2] == ["id", "status"]
    assert cells(render(ODD))[0][:3] == ["id", "name", "status"]

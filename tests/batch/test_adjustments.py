"""Adjustments by hand: added as they stand, refused with the line where they are wrong."""

from __future__ import annotations

import csv
import os
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.batch.adjustments import COLUMNS, read_adjustments
from grader.gradebook import Adjustment, GradebookError

IDS = ("ada", "=bob", "c,d", "")


def adjustments(tmp_path: Path, content: bytes | str) -> dict[str, tuple[Adjustment, ...]]:
    file = tmp_path / "adjustments.csv"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    found = dict(read_adjustments(file, IDS))
    assert file.read_bytes() == (content if isinstance(content, bytes) else content.encode())
    return found


def test_several_lines_of_an_id_are_kept_in_order(tmp_path: Path) -> None:
    content = 'id,points,note\r\nada,-0.5,late\r\n"c,d",+2,"two\nlines, ""quoted"""\r\n\r\nada, 10 ,=bonus\r\n'
    assert adjustments(tmp_path, content) == {
        "ada": (Adjustment(Decimal("-0.5"), "late"), Adjustment(Decimal(10), "=bonus")),
        "c,d": (Adjustment(Decimal(2), 'two\nlines, "quoted"'),),
    }


def test_a_byte_order_mark_and_blanks_in_the_header_are_fine(tmp_path: Path) -> None:
    assert adjustments(tmp_path, b"\xef\xbb\xbfid, points, note\nada,1,\n") == {"ada": (Adjustment(Decimal(1), ""),)}


def test_an_id_may_be_copied_from_the_gradebook(tmp_path: Path) -> None:
    assert adjustments(tmp_path, "id,points,note\n'=bob,1,\n=bob,2,\n") == {
        "=bob": (Adjustment(Decimal(1), ""), Adjustment(Decimal(2), ""))
    }


def test_nothing_is_no_adjustment(tmp_path: Path) -> None:
    assert read_adjustments(tmp_path / "none.csv", IDS) == {}
    assert adjustments(tmp_path, "") == adjustments(tmp_path, "id,points,note\n") == {}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("id;points;note\nada;1;\n", ":1: the first line is 'id;points;note', not 'id,points,note'"),
        ("ada,1,late\n", ":1: the first line is 'ada,1,late'"),
        ("id,points,note\nada,1\n", ":2: there are 2 cells, not 3"),
        ("id,points,note\nada,1,late, again\n", ":2: there are 4 cells, not 3"),
        ('id,points,note\nada,1,"two\nlines"\nada,"0,5",\n', ":4: the points are '0,5', not a decimal"),
        ("id,points,note\nada,,\n", ":2: the points are ''"),
        ("id,points,note\nada,1e3,\n", ":2: the points are '1e3'"),
        ("id,points,note\nada,NaN,\n", ":2: the points are 'NaN'"),
        ("id,points,note\nada,\u0661,\n", ":2: the points are"),
        ("id,points,note\nada,1234567890,\n", ":2: the points are '1234567890'"),
        ("id,points,note\nada,0.1234567890,\n", "not a decimal such as -2 or 0.5, of at most 9 digits and 9 decimals"),
        ("id,points,note\nada,1,\n\neve,1,\n", ":4: nobody has the id 'eve'"),
        ("id,points,note\n ada,1,\n", ":2: nobody has the id ' ada'"),
        ('id,points,note\nada,1,"open\n', ":2: unexpected end of data"),
        (b"id,points,note\nada,1,sp\xe4t\n", ":2: this is not UTF-8"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, content: bytes | str, said: str) -> None:
    with pytest.raises(GradebookError) as refused:
        adjustments(tmp_path, content)
    assert str(refused.value).startswith(f"{tmp_path / 'adjustments.csv'}:")
    assert said in str(refused.value)


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(GradebookError, match=r"cannot be read: Is a directory"):
        read_adjustments(tmp_path, IDS)
    os.mkfifo(tmp_path / "adjustments.csv")
    with pytest.raises(GradebookError, match=r"cannot be read: it is a pipe or a device"):
        read_adjustments(tmp_path / "adjustments.csv", IDS)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(IDS[:3]),
            st.decimals(-(10**6), 10**6, allow_nan=False, places=3),
            st.text(st.characters(exclude_categories=["Cs"]), max_size=9),
        )
    )
)
def test_what_a_spreadsheet_writes_is_read_as_it_is(
    tmp_path_factory: pytest.TempPathFactory, lines: list[tuple[str, Decimal, str]]
) -> None:
    file = tmp_path_factory.mktemp("adjustments") / "adjustments.csv"
    with file.open("w", encoding="utf-8-sig", newline="") as out:
        csv.writer(out).writerows([COLUMNS, *lines])
    found = [(id, each) for id, those in read_adjustments(file, IDS).items() for each in those]
    assert sorted(found, key=lambda each: each[0]) == [
        (id, Adjustment(points, note)) for id, points, note in sorted(lines, key=lambda line: line[0])
    ]

"""Canvas's file, as Canvas reads it."""

from __future__ import annotations

import csv
import dataclasses
import io
import re
from collections.abc import Mapping
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.gradebook import Gradebook, GradebookError, Person, Row
from grader.report.gradebook.canvas import render
from tests.report.gradebook.classes import FOLDER, gradebooks, names, read_class, rostered

ODD = read_class(FOLDER / "odd_names")


class Canvas:
    """Reads a file as Canvas's gradebook does, with the students and grades of a course.

    ``students`` are ids by each of ID, SIS User ID and SIS Login ID; ``grades`` by id are what the course has already.
    """

    def __init__(self, students: Mapping[str, Mapping[str, str]], grades: Mapping[str, str]) -> None:
        self.students, self.grades = students, dict(grades)
        self.points: str | None = None
        self.assignment: tuple[str, str | None] | None = None

    def read(self, content: str) -> None:
        header, *rows = csv.reader(io.StringIO(content, newline=""), strict=True)
        assert "Student" in header[0]
        assert "ID" in header[1]
        assert header[2:5] == ["SIS User ID", "SIS Login ID", "Section"]
        title = header[5]
        named = re.fullmatch(r"(.*)\s\((\d+)\)", title)
        self.assignment = (named[1], named[2]) if named else (title, None)
        for row in rows:
            assert len(row) == len(header) == 6
            if "Points Possible" in row[0]:
                assert self.points is None
                self.points = row[5]
            elif any(cell.strip() for cell in row):
                # An empty cell is a new grade, too: it clears the old one.
                self.grades[self._student(row)] = row[5].strip()

    def _student(self, row: list[str]) -> str:
        number = re.match(r"\d+", row[1])
        for column, value in (("ID", number and number[0]), ("SIS User ID", row[2]), ("SIS Login ID", row[3])):
            if value and value in self.students[column]:
                return self.students[column][value]
        raise AssertionError(f"Canvas would ask who {row[0]!r} is")


def imported(gradebook: Gradebook, grades: Mapping[str, str], assignment: str | None = None) -> Canvas:
    known: dict[str, dict[str, str]] = {"ID": {}, "SIS User ID": {}, "SIS Login ID": {}}
    for row in gradebook.rows:
        assert row.person is not None
        for column, own in (("ID", "canvas"), ("SIS User ID", "SIS User ID"), ("SIS Login ID", "SIS Login ID")):
            value = row.person.columns.get(own) or row.person.columns.get(own.lower())
            if value:
                known[column][value] = row.id
    canvas = Canvas(known, grades)
    canvas.read(render(gradebook, assignment))
    return canvas


@given(gradebooks(), st.lists(st.sampled_from(["canvas", "SIS User ID", "SIS Login ID"]), min_size=4, max_size=4))
def test_canvas_gets_each_total_and_keeps_other_grades(gradebook: Gradebook, columns: list[str]) -> None:
    rows = tuple(
        dataclasses.replace(row, person=Person(row.id, {"name": row.name, column: str(number)}))
        for number, (row, column) in enumerate(zip(gradebook.rows, columns, strict=False), 11)
    )
    canvas = imported(dataclasses.replace(gradebook, rows=rows), {row.id: "old" for row in rows})
    for row in rows:
        found = canvas.grades.pop(row.id)
        assert found == "old" if row.total is None else Decimal(found) == row.total
    assert canvas.grades == {}
    assert canvas.points == "3.625"


@given(names)
def test_no_name_is_taken_for_something_else(name: str) -> None:
    row = dataclasses.replace(ODD.rows[1], person=Person("2", {"name": name + "Points Possible", "canvas": "12"}))
    canvas = imported(dataclasses.replace(ODD, rows=(row,)), {})
    assert canvas.grades == {"2": "13.25"}
    assert canvas.points == "3.75"


def test_the_assignment_is_the_one_named() -> None:
    assert imported(ODD, {}).assignment == ("Shard, *gather*, release", None)
    assert imported(ODD, {}, "Lesson 10 (4711)").assignment == ("Lesson 10", "4711")


@pytest.mark.parametrize(
    ("gradebook", "said"),
    [
        (
            rostered({"canvas": "1"}, {"canvas": " "}, {}),
            "no ID, SIS User ID or SIS Login ID of r1, r2; export Canvas's",
        ),
        (rostered({"canvas": "12ab"}), "no ID, SIS User ID or SIS Login ID of r0;"),
        (rostered({"canvas": "\u0661"}), "no ID, SIS User ID or SIS Login ID of r0;"),
        (rostered(*[{}] * 12), "r8, r9 and 2 more; export"),
        (rostered({"canvas": "1"}, {"canvas": "1 "}), "the same ID, SIS User ID or SIS Login ID for r1; each needs"),
        (dataclasses.replace(ODD, rows=(Row("a", "a", {}),)), "no ID, SIS User ID or SIS Login ID of a;"),
    ],
)
def test_who_canvas_could_not_find_is_named(gradebook: Gradebook, said: str) -> None:
    with pytest.raises(GradebookError, match=re.escape(said)):
        render(gradebook)


def test_columns_of_different_kinds_are_different_people() -> None:
    gradebook = rostered({"canvas": "1"}, {"SIS Login ID": "1"})
    assert imported(gradebook, {"absent": "old"}).grades == {"r0": "0", "r1": "0", "absent": "old"}

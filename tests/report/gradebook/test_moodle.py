"""Moodle's file, as Moodle reads it."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.gradebook import Gradebook, GradebookError, Person, Row
from grader.report.gradebook.moodle import PERSON, render
from tests.report.gradebook.classes import FOLDER, gradebooks, read_class, rostered

ODD = read_class(FOLDER / "odd_names")
TITLES = ["Shard", "=a \\", 'a "b\\" c']


def fgetcsv(content: str) -> Iterator[list[str]]:
    r"""Cells as PHP splits them: within quotes, a backslash keeps the next character from ending the cell."""
    row: list[str] = []
    at = 0
    while at < len(content):
        cell, quoted = "", content[at] == '"'
        at += quoted
        while at < len(content):
            if quoted and content[at] == "\\":
                cell += content[at : at + 2]
                at += 2
            elif quoted and content[at : at + 2] == '""':
                cell += '"'
                at += 2
            elif quoted and content[at] == '"':
                quoted = False
                at += 1
            elif not quoted and (content[at] == "," or content.startswith("\r\n", at)):
                break
            else:
                cell += content[at]
                at += 1
        row.append(cell)
        if content.startswith("\r\n", at):
            yield row
            row = []
            at += 2
        else:
            at += 1
    assert not row
    assert content.endswith("\r\n")


def imported(
    content: str, people: Mapping[str, str], grades: Mapping[str, str | None]
) -> tuple[dict[str, str | None], dict[str, str]]:
    """The grades and the feedback of a course after Moodle read ``content``; ``people`` are ids by their identifier."""
    _, *rows = fgetcsv(content)
    found, feedback = dict(grades), {}
    person = None
    for row in rows:
        identifier, grade, said = (cell.strip() for cell in row)
        # PHP takes "0" for empty, and who is not named is whoever was named last.
        if identifier not in ("", "0"):
            person = people[identifier]
        assert person is not None
        found[person] = None if grade in ("", "-") else grade
        feedback[person] = said
    return found, feedback


@given(gradebooks(), st.sampled_from(sorted(PERSON)), st.sampled_from(TITLES))
def test_moodle_gets_each_total_and_keeps_other_grades(gradebook: Gradebook, identifier: str, title: str) -> None:
    column = PERSON[identifier][-1]
    rows = tuple(
        dataclasses.replace(row, person=Person(row.id, {column: f"p{number}@example.org"}))
        for number, row in enumerate(gradebook.rows)
    )
    content = render(dataclasses.replace(gradebook, rows=rows, title=title))
    people = {f"p{number}@example.org": row.id for number, row in enumerate(rows)}
    grades, feedback = imported(content, people, {row.id: "old" for row in rows})
    for row in rows:
        found = grades.pop(row.id)
        assert found is not None
        assert found == "old" if row.total is None else Decimal(found) == row.total
        assert (row.id in feedback) == (row.total is not None)
    assert grades == {}
    assert next(fgetcsv(content))[0] == (identifier if any(row.total is not None for row in rows) else "Email address")


def test_feedback_says_the_points_and_each_adjustment() -> None:
    people = {row.person.columns["email"]: row.id for row in ODD.rows if row.person is not None}
    _, feedback = imported(render(ODD), people, {})
    assert feedback == {
        '=HYPERLINK("http://www.example.org";"2")': "2 of 3.75 points",
        "2": "3.75 of 3.75 points; -0.5: late, 'a day'; 10: =bonus \\",
        "10": "0 of 3.75 points",
        "Åsa": "Not graded: handed in nothing; 1.25: shown in the\\noffice",
    }


@pytest.mark.parametrize(
    ("gradebook", "said"),
    [
        (
            rostered({"email": "a@b"}, {"email": " "}, {}),
            "no Email address of r1, r2; fill the column `email`, or give",
        ),
        (rostered({"email": "a@b"}, {"Username": "b"}), "no Email address of r1; fill"),
        (rostered({"ID Number": "0"}), "no Email address of r0; fill"),
        (rostered({"email": "a@b"}, {"email": "A@b"}), "the same Email address for r1; each needs"),
        (rostered({"username": "a"}, {"username": "A"}), "the same Username for r1; each needs"),
        (dataclasses.replace(ODD, rows=(Row("a", "a", {}),)), "no Email address of a; fill"),
    ],
)
def test_who_moodle_could_not_find_is_named(gradebook: Gradebook, said: str) -> None:
    with pytest.raises(GradebookError, match=re.escape(said)):
        render(gradebook)


def test_the_first_identifier_that_all_have_is_taken() -> None:
    both = rostered({"email": "a@b", "username": "a"}, {"idnumber": "7", "username": "b"})
    assert [row[0] for row in fgetcsv(render(both))] == ["Username", "a", "b"]

"""A file that Canvas's gradebook imports."""

from __future__ import annotations

import re
from collections.abc import Mapping

from grader.gradebook import Gradebook, Row
from grader.report._learner_text import one_line
from grader.report.gradebook._cells import number, table, text
from grader.report.gradebook._platform import columns, require, with_total

# What Canvas finds a student by, in its order, and the roster's column for it.
STUDENT = {"ID": "canvas", "SIS User ID": "sis user id", "SIS Login ID": "sis login id"}
POINTS = "Points Possible"


def render(gradebook: Gradebook, assignment: str | None = None) -> str:
    """Render the totals under the header ``assignment``, as Canvas exports it: ``Lesson 10 (4711)``.

    Without the number, or without any header, Canvas takes the assignment of that title or offers to make one. A row
    without a total is left out, for an empty cell would clear the grade that Canvas has. GradebookError if Canvas
    could not tell who a row is.
    """
    rows = with_total(gradebook)
    found = [_student(row) for row in rows]
    require(
        rows,
        [next((f"{header} {value}" for header, value in student.items() if value), "") for student in found],
        "ID, SIS User ID or SIS Login ID",
        "export Canvas's gradebook and put its ID into the column `canvas`, or add a column `SIS Login ID`",
    )
    header = ("Student", *STUDENT, "Section", text(one_line(assignment or gradebook.title)))
    possible = (f"    {POINTS}", "", "", "", "", number(gradebook.points))
    lines = [
        (_name(row), *map(text, student.values()), text(columns(row).get("section", "")), number(row.total))
        for row, student in zip(rows, found, strict=True)
    ]
    return table([header, possible, *lines])


def _student(row: Row) -> Mapping[str, str]:
    found = {header: columns(row).get(column, "") for header, column in STUDENT.items()}
    # Canvas reads an ID up to its first letter: 12ab is student 12.
    return found | {"ID": found["ID"] if re.fullmatch("[0-9]+", found["ID"]) else ""}


def _name(row: Row) -> str:
    # Canvas takes any line whose first cell has these words for the points of the assignment.
    return text(one_line(row.name or row.id).replace(POINTS, POINTS.lower()))

"""A file that Moodle's gradebook imports."""

from __future__ import annotations

from grader.gradebook import Gradebook, Row
from grader.report._learner_text import one_line
from grader.report.gradebook._cells import number, table, text
from grader.report.gradebook._platform import columns, require, with_total

# What Moodle can find a person by, as it calls it, and the roster's columns for it.
PERSON = {
    "Email address": ("email", "email address"),
    "ID number": ("id number", "idnumber"),
    "Username": ("username",),
}


def render(gradebook: Gradebook) -> str:
    """Render the totals by the first of ``PERSON`` that the roster has for all, each with a line of feedback.

    A row without a total is left out, for an empty cell would clear the grade that Moodle has. GradebookError if a
    row has no identifier: Moodle would give its points to the person of the row before.
    """
    rows = with_total(gradebook)
    complete = (each for each in PERSON if all(_identifier(row, each) for row in rows))
    identifier = next(complete, "Email address")
    found = [_identifier(row, identifier) for row in rows]
    require(rows, found, identifier, "fill the column `email`, or give everyone an `ID number` or a `Username`")
    header = (identifier, _cell(gradebook.title), _cell(f"{gradebook.title} (feedback)"))
    lines = [
        (_cell(value), number(row.total), _cell(_feedback(row, gradebook)))
        for row, value in zip(rows, found, strict=True)
    ]
    return table([header, *lines])


def _identifier(row: Row, identifier: str) -> str:
    given = columns(row)
    # To PHP, "0" is as good as nothing.
    return next((given[column] for column in PERSON[identifier] if given.get(column, "0") not in ("", "0")), "")


def _feedback(row: Row, gradebook: Gradebook) -> str:
    of = f"of {number(gradebook.points)} points"
    graded = f"{number(row.earned)} {of}" if row.earned is not None else f"Not graded: {row.reason or row.status}"
    return "; ".join((graded, *(f"{number(each.points)}: {each.note}" for each in row.adjustments)))


def _cell(value: str) -> str:
    r"""A cell that PHP reads as we do: to PHP, a quote after a backslash does not end a cell.

    >>> _cell('a "b\\" c\\')
    "a 'b\\' c\\ "
    """
    value = text(one_line(value).replace('"', "'"))
    return f"{value} " if value.endswith("\\") else value

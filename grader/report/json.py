"""The report for machines, as ``schemas/report.json`` describes it."""

from __future__ import annotations

from typing import Any

from grader.report import Options
from grader.report._json import document
from grader.report._learner_text import shorten
from grader.results import FORMAT, Grade, Ungraded, to_plain

_DEFAULT = Options()


def render(grade: Grade, options: Options = _DEFAULT) -> str:
    """Render ``grade`` with a function and a criterion a line, and its texts cut where they are very long.

    Without a score, points earned are null.
    """
    plain = _cut(to_plain(grade))
    if grade.faulty:
        plain["earned"] = None
        for function in plain["functions"]:
            function["earned"] = None
    return document(plain)


def render_ungraded(ungraded: Ungraded) -> str:
    """Render why there is no grade, as ``schemas/ungraded.json`` describes it."""
    return document(
        {"format": FORMAT, "exercise": ungraded.exercise, "id": ungraded.id, "reason": shorten(ungraded.reason)}
    )


def _cut(value: Any) -> Any:
    """Plain data with each of its texts cut, whoever wrote it."""
    match value:
        case str():
            return shorten(value)
        case dict():
            return {key: _cut(each) for key, each in value.items()}
        case list():
            return [_cut(each) for each in value]
        case _:
            return value

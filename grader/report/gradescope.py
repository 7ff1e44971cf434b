"""The report that Gradescope's autograders write to ``results.json``.

Gradescope shows a learner each test as the visibility of its criterion says. What is said of the whole is always shown,
so it is about the visible criteria alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from grader.report import Options, _words
from grader.report._json import document
from grader.report._learner_text import one_line
from grader.report.text import explanation
from grader.results import Criterion, Grade, to_plain

NO_SCORE = "Gradescope wants a number: the 0 stands for no score."

_FOR_STAFF = ("exercise", "seed", "versions", "fences", "missing_fences", "notes")
_DEFAULT = Options()


def render(grade: Grade, options: Options = _DEFAULT) -> str:
    """Render ``grade`` with a test for each criterion."""
    plain = to_plain(grade)
    return document(
        {
            "score": 0 if grade.faulty else plain["earned"],
            "execution_time": grade.seconds,
            "output": "\n".join(_whole(grade)),
            "output_format": "text",
            "visibility": "visible",
            "stdout_visibility": "hidden",
            "tests": [_test(criterion, scored=not grade.faulty) for criterion in grade.criteria],
            "extra_data": {name: plain[name] for name in _FOR_STAFF},
        }
    )


def _test(criterion: Criterion, *, scored: bool) -> dict[str, Any]:
    plain = to_plain(criterion)
    score = {"score": plain["earned"], "max_score": plain["points"]} if scored else {}
    return {
        **score,
        "status": "passed" if criterion.status == "passed" else "failed",
        "name": one_line(_words.name(criterion)),
        "name_format": "text",
        "output": _output(criterion),
        "output_format": "text",
        "tags": [criterion.function, criterion.status],
        "visibility": criterion.visibility,
        "extra_data": {"id": criterion.id},
    }


def _output(criterion: Criterion) -> str:
    if criterion.status in _words.PROBLEMS:
        return explanation(criterion)
    return "" if criterion.status == "passed" else _words.brief(criterion)


def _whole(grade: Grade) -> Iterator[str]:
    """What every learner may read at once: nothing that tells what came of a criterion that is not visible yet."""
    visible = tuple(criterion for criterion in grade.criteria if criterion.visibility == "visible")
    yield from map(one_line, grade.notes)
    yield _words.summary(replace(grade, criteria=visible))
    yield from _words.left_out(grade)
    if grade.faulty:
        yield f"{_words.verdict(grade)} {NO_SCORE}"
    elif grade.next is not None and grade.next.criterion in [criterion.id for criterion in visible]:
        yield f"Next: {one_line(grade.next.text)}."

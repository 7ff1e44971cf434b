"""What a report may show of a hidden criterion: which property broke and where, never values."""

from __future__ import annotations

import dataclasses

from grader.results import Criterion, Difference, Grade, RankTable

HIDDEN = "Hidden: what it is called with and what it expects are not shown."


def hide(grade: Grade) -> Grade:
    """Take out of each hidden criterion what could tell its inputs or expected values."""
    return dataclasses.replace(grade, criteria=tuple(_hide(criterion) for criterion in grade.criteria))


def _hide(criterion: Criterion) -> Criterion:
    # The learner's own message and output can carry the inputs: an exception quotes them, a print shows them.
    if criterion.visibility == "visible" or criterion.status in ("passed", "todo", "blocked"):
        return criterion
    return dataclasses.replace(
        criterion,
        message=HIDDEN,
        call=None,
        expected=None,
        actual=None,
        # A table of ranks is what the learner's side says it was doing, in words that it may choose.
        detail=None if isinstance(criterion.detail, (Difference, RankTable)) else criterion.detail,
        output=None,
    )

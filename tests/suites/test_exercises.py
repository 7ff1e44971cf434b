"""Every exercise of the course, proven by what its suite makes of right, empty and wrong solutions."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.audit import audit
from grader.course import Course

COURSE = Course.read(Path(__file__).parents[2] / "course.yml")


@pytest.mark.parametrize("id", COURSE.exercises())
def test_an_exercise_is_proven(id: str) -> None:
    found = audit(COURSE, id)
    assert found.findings == ()
    assert found.points == COURSE.exercise(id).points
    assert found.criteria
    assert found.mutants

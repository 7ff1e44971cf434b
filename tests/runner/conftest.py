"""A warm grader of the small course's exercise, shared by the tests that grade."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.course import Course, Exercise
from grader.runner import Grader

CASES = Path(__file__).parent.parent / "cases"


@pytest.fixture(scope="session")
def second_course() -> Course:
    return Course.find(CASES / "course")


@pytest.fixture(scope="session")
def pieces(second_course: Course) -> Exercise:
    return second_course.exercise("pieces")


@pytest.fixture(scope="session")
def grader(pieces: Exercise) -> Iterator[Grader]:
    with Grader(pieces) as warm:
        yield warm

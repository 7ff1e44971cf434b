"""An exercise of one function without a cluster, the quickest to grade."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course import Course, Exercise

CASES = Path(__file__).parent.parent / "cases"


@pytest.fixture(scope="session")
def words() -> Exercise:
    return Course.find(CASES / "course").exercise("words")

"""Criteria of ``pairs``."""

from typing import Any

import pytest
from helpers import SIZES, pairs

from grader.authoring import Failed, criterion

MESSAGE, OTHER = "A pair is missing.", "not shown"


@pytest.fixture
def built(asked_for: str) -> Any:
    return _build(asked_for)


# Directly above, so it stays.
@criterion("pairs", points=1, title="finds neighbours", hint="Who is next?")
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.usefixtures("built")
def test_shown(student: Any, size: tuple[int, ...]) -> None:
    if len(pairs(student.pairs(size))) < 1:
        raise Failed(MESSAGE)


def _build(text: str) -> str:
    return text

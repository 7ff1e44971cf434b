"""Criteria of ``pairs``."""

import math
from typing import Any

import pytest
from helpers import SECRET_SIZES, SIZES, pairs, secret

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


@criterion("pairs", points=2, title="finds them in odd sizes, too", needs=["pairs-shown"], visibility="hidden")
@pytest.mark.parametrize("size", SECRET_SIZES)
def test_hidden(student: Any, for_the_hidden: Any, size: tuple[int, ...]) -> None:
    kind = "prime sizes"
    assert secret(size) == math.prod(size), f"a product that gives it away for {kind}"


def _build(text: str) -> str:
    return text

"""Criteria of ``fits``."""

from __future__ import annotations

from typing import Any

import pytest

from grader.authoring import criterion


@criterion(
    "fits",
    points=1,
    title="is exact on both sides of the limit",
    hint="At the last byte: does it fit, or not any more?",
)
def test_limit(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "fits",
    points=1,
    title="looks at the stage, and counts no unit below stage 3",
    needs=["fits-limit"],
    hint="Below stage 3 the weights are whole already. What would gathering a unit add?",
)
def test_stages(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "fits",
    points=2,
    title="counts the largest unit, gathered, and its gradient",
    needs=["fits-limit"],
    hint="Model states are not all there is while a layer runs. Which two 16-bit arrays of the unit's size exist at the end of its backward pass?",
)
def test_unit(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "fits",
    points=1,
    title="refuses what `model_state_bytes` refuses, with a ValueError",
    needs=["fits-limit"],
    hint="Which function checks its arguments already?",
)
def test_errors(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")

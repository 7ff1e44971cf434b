"""Criteria of ``fits``. Each looks at both sides of a limit."""

from __future__ import annotations

from typing import Any

import pytest
from checks import expect_refusal

from grader.authoring import Failed, criterion

GB = 10**9


def expect_answer(student: Any, wanted: bool, *arguments: Any, **named: Any) -> None:
    """The function must return this answer."""
    found = student.fits(*arguments, **named)
    if found is not wanted:
        raise Failed(
            "It says that the model does not fit, and it does."
            if wanted
            else "It says that the model fits, and it does not.",
            expected=str(wanted),
            actual=str(found),
        )


def expect_limit(student: Any, limit: int, parameters: int, devices: int, **named: Any) -> None:
    """The model must fit into ``limit`` bytes, and not into one less."""
    expect_answer(student, True, parameters, devices, limit, **named)
    expect_answer(student, False, parameters, devices, limit - 1, **named)


@criterion(
    "fits",
    points=1,
    title="is exact on both sides of the limit",
    needs=["model_state_bytes-stages"],
    hint="At the last byte: does it still fit?",
)
@pytest.mark.parametrize(
    ("parameters", "devices", "limit"),
    [(1000, 4, 4_000), (1000, 1, 16_000), (10**12, 1024, 15_625_000_000), (2**60, 2, 2**63)],
)
def test_limit(student: Any, parameters: int, devices: int, limit: int) -> None:
    expect_limit(student, limit, parameters, devices)


@criterion(
    "fits",
    points=1,
    title="looks at the stage, and counts no unit below stage 3",
    needs=["fits-limit", "model_state_bytes-uneven"],
    hint="Below stage 3 the weights are whole already. What would the gathering of a unit add?",
)
@pytest.mark.parametrize(
    ("stage", "limit", "uneven"), [(0, 16_000, 160), (1, 7_000, 76), (2, 5_500, 62), (3, 4_000, 48)]
)
def test_stages(student: Any, stage: int, limit: int, uneven: int) -> None:
    expect_limit(student, limit, 1000, 4, stage=stage)
    expect_limit(student, uneven, 10, 4, stage=stage)
    if stage < 3:
        expect_limit(student, limit, 1000, 4, stage=stage, largest_unit=100)


@criterion(
    "fits",
    points=2,
    title="counts the largest unit, gathered, and its gradient",
    needs=["fits-limit"],
    hint="Model states are not all there is while a layer runs. Which two 16-bit arrays of the unit's size exist at "
    "the end of its backward pass?",
)
def test_unit(student: Any) -> None:
    expect_answer(student, True, 10**12, 1024, 32 * GB)
    expect_answer(student, False, 10**12, 1024, 32 * GB, largest_unit=7_812_500_000)
    expect_limit(student, 46_875_000_000, 10**12, 1024, largest_unit=7_812_500_000)
    expect_limit(student, 4004, 1000, 4, largest_unit=1)
    expect_limit(student, 8000, 1000, 4, largest_unit=1000)


@criterion(
    "fits",
    points=1,
    title="refuses what `model_state_bytes` refuses, with a ValueError",
    needs=["fits-limit", "model_state_bytes-range", "model_state_bytes-types"],
    hint="Which function checks these arguments already?",
    visibility="hidden",
)
@pytest.mark.parametrize(
    ("arguments", "stage"), [((1000, 4), 4), ((1000, 0), 3), ((-1, 4), 3), ((1000, 4), True), ((1000, 4.0), 3)]
)
def test_errors(student: Any, arguments: tuple[Any, ...], stage: Any) -> None:
    expect_limit(student, 4000, 1000, 4)
    expect_refusal(lambda: student.fits(*arguments, 10**6, stage=stage))

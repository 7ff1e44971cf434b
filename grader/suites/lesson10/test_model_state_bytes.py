"""Criteria of ``model_state_bytes``."""

from __future__ import annotations

from typing import Any

import pytest
from checks import expect_refusal

from grader.authoring import Failed, criterion

BILLION = 10**9


def expect_bytes(student: Any, wanted: int, *arguments: Any) -> None:
    """The function must return this number of bytes."""
    found = student.model_state_bytes(*arguments)
    if found != wanted:
        raise Failed(
            "The number of bytes is not the one that a device holds.",
            expected=f"{wanted:,} bytes",
            actual=f"{found:,} bytes",
        )


@criterion(
    "model_state_bytes",
    points=2,
    title="divides what each stage divides",
    hint="List what one parameter takes: a 16-bit weight, a 16-bit gradient, 12 bytes for Adam. Which of them does a "
    "device keep whole at this stage?",
)
@pytest.mark.parametrize(
    ("parameters", "stage", "devices", "wanted"),
    [
        (1000, 0, 4, 16_000),
        (1000, 1, 4, 7_000),
        (1000, 2, 4, 5_500),
        (1000, 3, 4, 4_000),
        (1000, 3, 1, 16_000),
        (0, 2, 4, 0),
        (75 * BILLION // 10, 0, 64, 120_000_000_000),
        (75 * BILLION // 10, 1, 64, 31_406_250_000),
        (75 * BILLION // 10, 2, 64, 16_640_625_000),
        (75 * BILLION // 10, 3, 64, 1_875_000_000),
        (1000 * BILLION, 1, 1024, 4_011_718_750_000),
        (1000 * BILLION, 2, 1024, 2_013_671_875_000),
        (1000 * BILLION, 3, 1024, 15_625_000_000),
    ],
)
def test_stages(student: Any, parameters: int, stage: int, devices: int, wanted: int) -> None:
    expect_bytes(student, wanted, parameters, stage, devices)


@criterion(
    "model_state_bytes",
    points=2,
    title="counts the largest piece, in whole bytes",
    needs=["model_state_bytes-stages"],
    hint="10 parameters on 4 devices: how many has the device with the most? And up to which number does a float count "
    "exactly?",
)
@pytest.mark.parametrize(
    ("parameters", "stage", "devices", "wanted"),
    [
        (10, 0, 4, 160),
        (10, 1, 4, 76),
        (10, 2, 4, 62),
        (10, 3, 4, 48),
        (1, 3, 8, 16),
        (2**61 + 1, 3, 2, 2**64 + 16),
        (2**61 + 1, 1, 2, 2**63 + 4 + 12 * (2**60 + 1)),
        (10**18 + 1, 2, 3, 2 * 10**18 + 2 + 14 * 333_333_333_333_333_334),
    ],
)
def test_uneven(student: Any, parameters: int, stage: int, devices: int, wanted: int) -> None:
    expect_bytes(student, wanted, parameters, stage, devices)


@criterion(
    "model_state_bytes",
    points=2,
    title="knows adam, momentum and sgd",
    needs=["model_state_bytes-stages"],
    hint="The 32-bit copy of the weights is there with every optimizer. What does each add to it?",
)
@pytest.mark.parametrize(
    ("stage", "optimizer", "wanted"),
    [
        (0, "adam", 16_000),
        (0, "momentum", 12_000),
        (0, "sgd", 8_000),
        (1, "adam", 7_000),
        (1, "momentum", 6_000),
        (1, "sgd", 5_000),
        (2, "momentum", 4_500),
        (2, "sgd", 3_500),
        (3, "adam", 4_000),
        (3, "momentum", 3_000),
        (3, "sgd", 2_000),
    ],
)
def test_optimizers(student: Any, stage: int, optimizer: str, wanted: int) -> None:
    expect_bytes(student, wanted, 1000, stage, 4, optimizer)


@criterion(
    "model_state_bytes",
    points=1,
    title="refuses numbers and optimizers that there are not, with a ValueError",
    needs=["model_state_bytes-stages"],
    hint="Which stages are there? How few devices, and how few parameters, make sense?",
)
@pytest.mark.parametrize(
    "arguments",
    [(1000, 4, 4), (1000, -1, 4), (1000, 3, 0), (1000, 0, -2), (-1, 3, 4), (1000, 3, 4, "adagrad")],
)
def test_range(student: Any, arguments: tuple[Any, ...]) -> None:
    expect_bytes(student, 4000, 1000, 3, 4)
    expect_refusal(lambda: student.model_state_bytes(*arguments))


@criterion(
    "model_state_bytes",
    points=1,
    title="refuses bools and numbers that are no int, with a ValueError",
    needs=["model_state_bytes-stages"],
    hint="`True` equals 1, and to `isinstance` it is an int. What tells the two apart?",
)
@pytest.mark.parametrize(
    "arguments", [(1000, True, 4), (1000, False, 4), (True, 3, 4), (1000, 3, True), (1000.0, 3, 4), (1000, 3, 4.0)]
)
def test_types(student: Any, arguments: tuple[Any, ...]) -> None:
    expect_bytes(student, 7000, 1000, 1, 4)
    expect_refusal(lambda: student.model_state_bytes(*arguments))

"""Criteria of ``model_state_bytes``."""

from __future__ import annotations

from typing import Any

import pytest

from grader.authoring import criterion


@criterion(
    "model_state_bytes",
    points=2,
    title="divides what each stage divides",
    hint="List what one parameter takes: a 16-bit weight, a 16-bit gradient, 12 bytes for Adam. Which of them does a device keep whole at this stage?",
)
def test_stages(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "model_state_bytes",
    points=2,
    title="counts the largest piece, in whole bytes",
    needs=["model_state_bytes-stages"],
    hint="10 parameters on 4 devices: how many has the device with the most? And how far does a float count exactly?",
)
def test_uneven(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "model_state_bytes",
    points=2,
    title="knows adam, momentum and sgd",
    needs=["model_state_bytes-stages"],
    hint="The 32-bit copy of the weights is there with every optimizer. What does each add to it?",
)
def test_optimizers(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "model_state_bytes",
    points=1,
    title="refuses numbers and optimizers that there are not, with a ValueError",
    needs=["model_state_bytes-stages"],
    hint="Which stages are there? How few devices, how few parameters make sense?",
)
def test_range(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "model_state_bytes",
    points=1,
    title="refuses bools and numbers that are no int, with a ValueError",
    needs=["model_state_bytes-stages"],
    hint="`True` is an int to `isinstance`, and equal to 1. How do you tell them apart?",
)
def test_types(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")

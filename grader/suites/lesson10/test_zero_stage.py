"""Criteria of ``zero_stage``."""

from __future__ import annotations

from typing import Any

import pytest

from grader.authoring import criterion


@criterion(
    "zero_stage",
    points=1,
    title="knows FSDP1's sharding strategies",
    hint="Which of the strategies shard parameters after the forward pass as well? The brief has a table.",
)
def test_fsdp1(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "zero_stage",
    points=1,
    title="tells True and False from numbers in FSDP2's `reshard_after_forward`",
    hint="`True == 1` and `False == 0`. Which do you ask first: is it a bool, or is it a number?",
)
def test_fsdp2(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "zero_stage",
    points=1,
    title="reads DeepSpeed's stage",
    hint="Where does DeepSpeed write its stage?",
)
def test_deepspeed(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "zero_stage",
    points=1,
    title="reads Accelerate's two versions",
    hint="What is the version when none is given, and which key belongs to which version?",
)
def test_accelerate(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "zero_stage",
    points=1,
    title="refuses no family, or two of them, and names the keys",
    needs=["zero_stage-fsdp1"],
    hint="How many of the four keys may a configuration have?",
)
def test_families(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "zero_stage",
    points=1,
    title="refuses what the table does not have, and names the key",
    needs=["zero_stage-fsdp1", "zero_stage-deepspeed", "zero_stage-accelerate"],
    hint="The table is closed. What does your code do with a value, or with a pair of keys, that no row has?",
)
def test_values(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")

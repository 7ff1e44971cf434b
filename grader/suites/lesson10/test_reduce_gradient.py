"""Criteria of ``reduce_gradient``."""

from __future__ import annotations

from typing import Any

import pytest

from grader.authoring import criterion


@criterion(
    "reduce_gradient",
    points=2,
    title="gives the mean over ranks, not the sum",
    needs=["shard-even", "shard-bytes"],
    hint='What does `op="sum"` leave to be done, and what other `op` is there?',
)
def test_mean(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "reduce_gradient",
    points=2,
    title="lays the result out as `shard` does",
    needs=["reduce_gradient-mean"],
    hint="What would `shard(gradient, rank, N)` return: which shape, which elements? A reduce-scatter cuts its input in rank order.",
)
def test_layout(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "reduce_gradient",
    points=2,
    title="reduces a size that does not divide",
    needs=["reduce_gradient-layout", "shard-uneven"],
    hint="A reduce-scatter needs N parts of one size. What fills the gaps, and where in the input do they lie?",
)
def test_uneven(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "reduce_gradient",
    points=1,
    title="reduces gradients of fewer rows than ranks, of one element, of none",
    needs=["reduce_gradient-layout", "shard-small"],
    hint="Does every rank take part, also one that keeps nothing? What is the first axis of a 0-d gradient?",
)
def test_small(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "reduce_gradient",
    points=2,
    title="uses one reduce-scatter, no all-reduce",
    needs=["reduce_gradient-mean"],
    hint="An all-reduce gives every rank the whole mean. Which part of it does a rank need?",
)
def test_collectives(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "reduce_gradient",
    points=1,
    title="sends (N-1) times the largest piece, no more",
    needs=["reduce_gradient-mean"],
    hint="What a rank receives, it sends N-1 times. Is that larger than a piece, or of a wider dtype?",
)
def test_sent(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "reduce_gradient",
    points=1,
    title="owns its storage, and leaves the gradient as it is",
    needs=["reduce_gradient-mean"],
    hint="On one rank the mean is the gradient. Is returning it the same as returning a piece?",
)
def test_owns(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "reduce_gradient",
    points=1,
    title="keeps the dtype of the gradient",
    needs=["reduce_gradient-layout", "shard-dtype"],
    hint="Which dtype do your buffers get if you name none, and what does a division give?",
)
def test_dtype(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")

"""Criteria of ``gather``."""

from __future__ import annotations

from typing import Any

import pytest

from grader.authoring import criterion


@criterion(
    "gather",
    points=2,
    title="returns the whole parameter on every rank",
    needs=["shard-even", "shard-bytes"],
    hint="The pieces arrive in rank order, one after the other. How do you get from there to `shape`?",
)
def test_even(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "gather",
    points=3,
    title="restores a size that does not divide",
    needs=["gather-even", "shard-uneven"],
    hint="Every rank knows `shape` and `group.size`, so it knows the largest piece. What can a rank with less add before the gather, and take off after it?",
)
def test_uneven(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "gather",
    points=2,
    title="restores parameters of fewer rows than ranks, of one element, of none",
    needs=["gather-even", "shard-small"],
    hint="Does every rank take part, also one whose piece is empty? What is the shape of a 0-d parameter?",
)
def test_small(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "gather",
    points=2,
    title="uses one all-gather and no other collective",
    needs=["gather-even"],
    hint="One all-gather already gives every rank everything. What is the other transfer for?",
)
def test_collectives(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "gather",
    points=1,
    title="sends (N-1) times the largest piece, no more",
    needs=["gather-even"],
    hint="What you pass to the all-gather is sent N-1 times. Is it larger than a piece, or of a wider dtype?",
)
def test_sent(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "gather",
    points=2,
    title="lets nothing of the padding into the result",
    needs=["gather-uneven"],
    hint="Where in the gathered buffer does the padding of each rank lie: all at the end, or after every piece?",
)
def test_padding(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "gather",
    points=2,
    title="shares no storage with the piece or another rank, and leaves the piece as it is",
    needs=["gather-even"],
    hint="On one rank nothing has to be sent. Whose storage would a view of the piece give back when it is released?",
)
def test_owns(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "gather",
    points=1,
    title="a second gather leaves the first result as it was",
    needs=["gather-even"],
    hint="Does anything outlive the call: a buffer or a result kept in a module's variable?",
)
def test_again(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "gather",
    points=1,
    title="keeps the dtype of the piece",
    needs=["gather-even", "shard-dtype"],
    hint="Which dtype does `device.empty(shape)` give if you name none?",
)
def test_dtype(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")

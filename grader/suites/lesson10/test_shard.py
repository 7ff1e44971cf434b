"""Criteria of ``shard``."""

from __future__ import annotations

from typing import Any

import pytest

from grader.authoring import criterion


@criterion(
    "shard",
    points=2,
    title="keeps every element of a size that divides",
    hint="Which rows, or which run of elements, belong to rank 0? And to the next rank?",
)
def test_even(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "shard",
    points=3,
    title="keeps every element of a size that does not divide",
    needs=["shard-even"],
    hint="Which rank gets what is left over when you divide?",
)
def test_uneven(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "shard",
    points=2,
    title="gives every rank a piece, also where there is less than one each",
    needs=["shard-even"],
    hint="Is the piece of a rank that gets nothing still an array? Of which shape? And what is the first axis of a 0-d parameter?",
)
def test_small(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "shard",
    points=3,
    title="keeps no more than its share, padding included",
    needs=["shard-even"],
    hint="How many bytes is the largest share of N equal ones? What else does this rank still hold?",
)
def test_bytes(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "shard",
    points=2,
    title="owns its storage, so that the whole can be freed",
    needs=["shard-even"],
    hint="A slice is a view: it looks into the storage of the whole. What makes an array with storage of its own?",
)
def test_owns(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "shard",
    points=2,
    title="keeps the dtype of the parameter",
    needs=["shard-even"],
    hint="Which dtype does a new array get if you name none?",
)
def test_dtype(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "shard",
    points=2,
    title="cuts a transpose or a slice in index order",
    needs=["shard-even"],
    hint="The elements of a view lie elsewhere in its storage. In which order does `x.ravel()` give them, and in which did you take them?",
)
def test_strided(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "shard",
    points=1,
    title="leaves the parameter as it is",
    needs=["shard-even"],
    hint="Which of your lines writes into the caller's array, or into a view of it?",
)
def test_input(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "shard",
    points=1,
    title="copies nothing to the host",
    needs=["shard-even"],
    hint="Slices, `np.concatenate`, `np.pad` and assignment all work on the device. Which of them does what you went to the host for?",
)
def test_host(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")

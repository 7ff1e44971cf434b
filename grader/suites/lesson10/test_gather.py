"""Criteria of ``gather``, which is tried through the learner's own ``shard``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from checks import (
    EVEN,
    SMALL,
    UNEVEN,
    Case,
    ClusterOf,
    cut,
    drawn,
    expect_one_collective,
    expect_own,
    expect_sent,
    expect_whole,
    gather_call,
    gathered,
    numbered,
    spoil_padding,
    values,
)

from grader.authoring import Failed, criterion
from grader.authoring.judging import expect_no_host_copies, expect_unchanged


@criterion(
    "gather",
    points=2,
    title="returns the whole parameter on every rank",
    needs=["shard-even"],
    hint="The pieces arrive in rank order, one after the other. How do you get from there to `shape`?",
)
@pytest.mark.parametrize(("shape", "world_size"), EVEN)
def test_even(student: Any, cluster_of: ClusterOf, shape: tuple[int, ...], world_size: int) -> None:
    gathered(student, cut(student, cluster_of(world_size), numbered(shape)))


@criterion(
    "gather",
    points=1,
    title="a second gather knows nothing of the first, and leaves it alone",
    needs=["gather-even"],
    hint="Does anything outlive the call: a buffer or a result kept in a module's variable?",
)
@pytest.mark.parametrize("world_size", [1, 2])
def test_again(student: Any, cluster_of: ClusterOf, world_size: int) -> None:
    cluster = cluster_of(world_size)
    first, second = (cut(student, cluster, numbered((4, 3), first=start)) for start in (101, 501))
    _, wholes = gathered(student, first)
    _, others = gathered(student, second)
    for rank, (whole, other) in enumerate(zip(wholes, others, strict=True)):
        expect_own("gather", other, whole, "an earlier result", call=gather_call(second), rank=rank)
        if whole.is_freed:
            raise Failed(
                "A second gather frees the result of the first.",
                call=gather_call(second),
                rank=rank,
                expected="two parameters side by side",
                actual="the first one's storage was given back",
            )
        expect_whole(first, rank, whole)


@criterion(
    "gather",
    points=3,
    title="restores a size that does not divide",
    needs=["gather-again", "shard-uneven"],
    hint="Every rank knows `shape` and `group.size`, so it knows the largest piece. What can a rank with less add "
    "before the gather, and take off after it?",
)
@pytest.mark.parametrize("case", UNEVEN)
def test_uneven(student: Any, cluster_of: ClusterOf, rng: np.random.Generator, case: Case | None) -> None:
    shape, world_size = drawn(case, rng)
    gathered(student, cut(student, cluster_of(world_size), numbered(shape)))


@criterion(
    "gather",
    points=2,
    title="restores fewer rows than ranks, one element, none",
    needs=["gather-uneven", "shard-small"],
    hint="Does every rank take part, also one whose piece is empty? What is the shape of a 0-d parameter?",
    visibility="hidden",
)
@pytest.mark.parametrize(("shape", "world_size"), SMALL)
def test_small(student: Any, cluster_of: ClusterOf, shape: tuple[int, ...], world_size: int) -> None:
    gathered(student, cut(student, cluster_of(world_size), numbered(shape)))


@criterion(
    "gather",
    points=2,
    title="uses one all-gather and no other transfer",
    needs=["gather-again"],
    hint="One all-gather already gives every rank everything. What is the other transfer for?",
)
@pytest.mark.parametrize(("shape", "world_size"), [((8, 4), 4), ((6,), 2)])
def test_collectives(student: Any, cluster_of: ClusterOf, shape: tuple[int, ...], world_size: int) -> None:
    pieces = cut(student, cluster_of(world_size), numbered(shape))
    run, _ = gathered(student, pieces)
    expect_one_collective(run, "all_gather_into_tensor", "gather", gather_call(pieces))
    expect_no_host_copies(run, "gather", gather_call(pieces))


@criterion(
    "gather",
    points=1,
    title="sends (N-1) times the largest piece, no more",
    needs=["gather-collectives"],
    hint="What you pass to the all-gather is sent N-1 times. Is it larger than a piece, or of a wider dtype?",
    visibility="after_published",
)
@pytest.mark.parametrize("world_size", [4, 2])
def test_sent(student: Any, cluster_of: ClusterOf, world_size: int) -> None:
    pieces = cut(student, cluster_of(world_size), numbered((8, 4)))
    run, _ = gathered(student, pieces)
    expect_sent(run, (world_size - 1) * pieces.largest, "gather", gather_call(pieces))


@criterion(
    "gather",
    points=2,
    title="lets nothing of the padding into the result",
    needs=["gather-small"],
    hint="Where in the gathered buffer does the padding of each rank lie: all at the end, or after every piece?",
    visibility="hidden",
)
@pytest.mark.parametrize(("shape", "world_size"), [((5, 3), 4), ((7,), 2), ((7, 2), 3), ((3, 2), 4)])
def test_padding(student: Any, cluster_of: ClusterOf, shape: tuple[int, ...], world_size: int) -> None:
    pieces = cut(student, cluster_of(world_size), numbered(shape))
    spoil_padding(pieces)
    gathered(student, pieces, nan="What the padding held got into the result.")


@criterion(
    "gather",
    points=2,
    title="shares no storage with the piece, and leaves the piece as it is",
    needs=["gather-again"],
    hint="On one rank nothing has to be sent. Whose storage would a view of the piece give back when it is released?",
)
@pytest.mark.parametrize(("shape", "world_size"), [((8, 3), 4), ((4, 3), 1), ((6,), 2)])
def test_owns(student: Any, cluster_of: ClusterOf, shape: tuple[int, ...], world_size: int) -> None:
    pieces = cut(student, cluster_of(world_size), numbered(shape))
    before = [values(piece) for piece in pieces.arrays]
    _, wholes = gathered(student, pieces)
    call = gather_call(pieces)
    for rank, (piece, old, whole) in enumerate(zip(pieces.arrays, before, wholes, strict=True)):
        expect_own("gather", whole, piece, "the piece", call=call, rank=rank)
        expect_unchanged("gather", "the piece", piece, old, call=call, rank=rank)


@criterion(
    "gather",
    points=1,
    title="keeps the dtype of the piece",
    needs=["gather-again", "shard-dtype"],
    hint="Which dtype does `device.empty(shape)` give if you name none?",
)
@pytest.mark.parametrize("dtype", ["float64", "float16", "int32", "bool"])
def test_dtype(student: Any, cluster_of: ClusterOf, dtype: str) -> None:
    pieces = cut(student, cluster_of(2), numbered((4, 3), dtype))
    _, wholes = gathered(student, pieces)
    for rank, whole in enumerate(wholes):
        if whole.dtype != dtype:
            raise Failed(
                "gather returned another dtype than that of the piece.",
                call=gather_call(pieces),
                rank=rank,
                expected=dtype,
                actual=str(whole.dtype),
            )

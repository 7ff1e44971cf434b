"""Criteria of ``reduce_gradients``: the mean over ranks, each element where its optimizer state is."""

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
    chain,
    elements,
    expect_mean,
    expect_share,
    expect_total,
    padded_elements,
    reduced,
)
from layers import Linear

from grader.authoring import Failed, criterion, place_of
from grader.authoring.judging import (
    allocated_at,
    expect_no_host_copies,
    expect_nothing_left,
    expect_unchanged,
    sent_by,
    tally,
)

ITEM = 2


@criterion(
    "reduce_gradients",
    points=4,
    title="gives the mean over ranks, not the sum",
    needs=["partition_optimizer_state-even"],
    hint='What does `op="sum"` leave to be done, and which other `op` is there?',
)
@pytest.mark.parametrize("case", [*EVEN, (chain(4, 4), 4)])
def test_mean(student: Any, cluster_of: ClusterOf, case: Case) -> None:
    expect_mean(reduced(student, cluster_of, *case))


@criterion(
    "reduce_gradients",
    points=2,
    title="has the mean of a parameter on the rank that has its optimizer state",
    needs=["reduce_gradients-mean", "partition_optimizer_state-once"],
    hint="A reduce-scatter cuts its input in rank order. Which elements does your `partition_optimizer_state` give "
    "this rank?",
)
@pytest.mark.parametrize("case", [*EVEN[:2], *UNEVEN])
def test_where(student: Any, cluster_of: ClusterOf, case: Case) -> None:
    means = reduced(student, cluster_of, *case)
    for rank in range(case[1]):
        own = means.mean[np.isin(means.state.numbers, means.state.kept.values(rank))]
        lost = int((~np.isin(own, means.kept.values(rank))).sum())
        if lost:
            raise Failed(
                "The mean of a parameter is on another rank than its optimizer state.",
                **means.kept.told,
                rank=rank,
                expected=f"the means of the {own.size} parameters whose state is on this rank",
                actual=f"{lost} of them are not there",
                where=means.kept.made_at(rank),
            )


@criterion(
    "reduce_gradients",
    points=2,
    title="keeps 1/N of the mean on each rank",
    needs=["reduce_gradients-mean"],
    hint="Of the whole mean a rank needs its own elements. Is what you return, or the storage under it, larger?",
)
@pytest.mark.parametrize("case", EVEN)
def test_share(student: Any, cluster_of: ClusterOf, case: Case) -> None:
    means = reduced(student, cluster_of, *case)
    layers, world_size = case
    expect_share(means.kept, ITEM * elements(layers) // world_size, "2 for each of the parameters / N")
    expect_mean(means)


@criterion(
    "reduce_gradients",
    points=3,
    title="reduces sizes that do not divide evenly",
    needs=["reduce_gradients-share"],
    hint="A reduce-scatter needs N parts of one size. What fills the gaps, and where in the input do they lie?",
)
@pytest.mark.parametrize("case", UNEVEN)
def test_uneven(student: Any, cluster_of: ClusterOf, case: Case) -> None:
    means = reduced(student, cluster_of, *case)
    expect_mean(means)
    expect_total(means.kept, ITEM * padded_elements(*case))


@criterion(
    "reduce_gradients",
    points=2,
    title="works with fewer parameters than ranks",
    needs=["reduce_gradients-uneven"],
    hint="Does every rank take part, also one that keeps nothing?",
    visibility="hidden",
)
@pytest.mark.parametrize("case", SMALL)
def test_small(student: Any, cluster_of: ClusterOf, case: Case) -> None:
    expect_mean(reduced(student, cluster_of, *case))


@criterion(
    "reduce_gradients",
    points=2,
    title="uses no all-reduce, and copies nothing to the host",
    needs=["reduce_gradients-mean"],
    hint="An all-reduce gives every rank the whole mean. Which part of it does a rank need?",
)
@pytest.mark.parametrize("case", EVEN[:2])
def test_collectives(student: Any, cluster_of: ClusterOf, case: Case) -> None:
    means = reduced(student, cluster_of, *case)
    kept = means.kept
    for each in kept.run.ledger.collectives("all_reduce"):
        raise Failed(
            "reduce_gradients uses an all-reduce where a reduce-scatter does.",
            **kept.told,
            expected="one reduce-scatter of each gradient, and no all-reduce",
            actual=tally(kept.run.ledger.collectives()),
            where=place_of(each.shares[0].where),
        )
    expect_no_host_copies(kept.run, kept.name, kept.call)
    expect_mean(means)


@criterion(
    "reduce_gradients",
    points=2,
    title="sends what one reduce-scatter of the gradients does, no more",
    needs=["reduce_gradients-collectives"],
    hint="What is sent beyond one part to each other rank? Or is it in a wider dtype than the gradients?",
)
@pytest.mark.parametrize("case", EVEN[:2])
def test_sent(student: Any, cluster_of: ClusterOf, case: Case) -> None:
    means = reduced(student, cluster_of, *case)
    layers, world_size = case
    ledger = means.kept.run.ledger
    bound = (world_size - 1) * ITEM * elements(layers)
    sent = sum(ledger.bytes_sent(rank) for rank in range(world_size))
    if sent > bound:
        most = max(ledger.collectives(), key=lambda each: sent_by(each, 0))
        raise Failed(
            "reduce_gradients sends more than a reduce-scatter of the gradients.",
            **means.kept.told,
            expected=f"at most {bound:,} bytes sent by all ranks together",
            actual=f"{sent:,} bytes, in {tally(ledger.collectives())}",
            where=place_of(most.shares[0].where),
        )
    expect_mean(means)


@criterion(
    "reduce_gradients",
    points=2,
    title="owns its storage, and leaves the gradients as they are",
    needs=["reduce_gradients-mean"],
    hint="Which of your arrays is the result a view of? On one rank the mean equals the gradient: is it an array of "
    "its own then?",
    visibility="after_published",
)
@pytest.mark.parametrize("case", [*EVEN, UNEVEN[0]])
def test_owns(student: Any, cluster_of: ClusterOf, case: Case) -> None:
    means = reduced(student, cluster_of, *case)
    kept = means.kept
    for rank, arrays in enumerate(kept.arrays):
        told = {"call": kept.call, "rank": rank}
        for name, gradient in means.gradients[rank].items():
            expect_unchanged(kept.name, "a gradient", gradient, means.hosts[rank][name], **told)
            if any(array.storage is gradient.storage for array in arrays):
                raise Failed(
                    "reduce_gradients returned a view into the storage of a gradient.",
                    expected="arrays with storage of their own",
                    actual="storage of a gradient",
                    **told,
                )
        expect_nothing_left(kept.name, kept.run, rank, arrays, kept.call)
    expect_mean(means)


@criterion(
    "reduce_gradients",
    points=1,
    title="keeps the dtype of the gradients",
    needs=["reduce_gradients-mean"],
    hint="Which dtype do your buffers get if you name none?",
)
@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_dtype(student: Any, cluster_of: ClusterOf, dtype: str) -> None:
    means = reduced(student, cluster_of, chain(4, 4, 4), 2, dtype)
    for rank, arrays in enumerate(means.kept.arrays):
        for array in arrays:
            if array.dtype != dtype:
                raise Failed(
                    "The mean has another dtype than the gradients.",
                    **means.kept.told,
                    rank=rank,
                    expected=dtype,
                    actual=str(array.dtype),
                    where=allocated_at(means.kept.run.ledger, array),
                )
    expect_mean(means)


@criterion(
    "reduce_gradients",
    points=1,
    title="uses other keys for other names",
    needs=["reduce_gradients-mean"],
    hint="Stage 2 calls it for one gradient at a time, and keeps all results in one dict. What would be lost?",
)
def test_keys(student: Any, cluster_of: ClusterOf) -> None:
    layers = (Linear("a", (4, 4)), Linear("b", (4, 4)))
    first, other = (reduced(student, cluster_of, layers, 2, only=name).kept.run.results for name in "ab")
    for rank, (one, two) in enumerate(zip(first, other, strict=True)):
        again = one.keys() & two.keys()
        if again:
            raise Failed(
                "Results for other names have keys that are in use.",
                call="reduce_gradients(…) for the gradient of a, then for that of b",
                world_size=2,
                rank=rank,
                expected="keys that the first result does not have",
                actual=", ".join(sorted(map(repr, again))),
            )

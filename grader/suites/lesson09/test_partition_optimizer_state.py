"""Criteria of ``partition_optimizer_state``: which rank keeps what, wherever it lies there."""

from __future__ import annotations

from typing import Any

import pytest
from checks import (
    EVEN,
    SMALL,
    UNEVEN,
    Case,
    ClusterOf,
    State,
    chain,
    elements,
    expect_once,
    expect_share,
    expect_state,
    expect_total,
    numbered,
    on_devices,
    padded_elements,
    partitioned,
)
from layers import Linear

from grader.authoring import Failed, criterion
from grader.authoring.judging import allocated_at, expect_no_host_copies, expect_nothing_left, expect_unchanged
from grader.devices import RANK, per_rank

STATE_BYTES = 12


@criterion(
    "partition_optimizer_state",
    points=4,
    title="makes a master copy, momentum and variance for every parameter",
    hint="Go through the elements: on which rank is the state of the last one? The master copy begins as the "
    "parameter; what do the other two begin as?",
)
@pytest.mark.parametrize("case", EVEN)
def test_even(student: Any, cluster_of: ClusterOf, case: Case) -> None:
    expect_state(partitioned(student, cluster_of, *case))


@criterion(
    "partition_optimizer_state",
    points=3,
    title="keeps it in 32 bits",
    needs=["partition_optimizer_state-even"],
    hint="Parameters are in 16 bits. Which dtype has an array that you make of them, or like them?",
)
def test_precision(student: Any, cluster_of: ClusterOf) -> None:
    state = partitioned(student, cluster_of, chain(4, 4, 4), 2)
    for rank, arrays in enumerate(state.kept.arrays):
        for array in arrays:
            if array.dtype != "float32":
                raise Failed(
                    "Optimizer state is not in float32.",
                    **state.kept.told,
                    rank=rank,
                    expected="float32",
                    actual=f"an array of shape {array.shape} in {array.dtype}",
                    where=allocated_at(state.kept.run.ledger, array),
                )


@criterion(
    "partition_optimizer_state",
    points=4,
    title="keeps 1/N of it on each rank: 12 bytes x parameters / N",
    needs=["partition_optimizer_state-even"],
    hint="Which of the three arrays is still as large as the whole weight? A view keeps all of its storage.",
)
@pytest.mark.parametrize("case", EVEN)
def test_share(student: Any, cluster_of: ClusterOf, case: Case) -> None:
    state = partitioned(student, cluster_of, *case)
    layers, world_size = case
    expect_share(state.kept, STATE_BYTES * elements(layers) // world_size, "12 for each of the parameters / N")
    expect_state(state)


@criterion(
    "partition_optimizer_state",
    points=2,
    title="keeps the state of each parameter on one rank only",
    needs=["partition_optimizer_state-even"],
    hint="Where does the piece of the next rank begin, and does this one end there?",
)
@pytest.mark.parametrize("case", [*EVEN, *UNEVEN])
def test_once(student: Any, cluster_of: ClusterOf, case: Case) -> None:
    expect_once(partitioned(student, cluster_of, *case))


@criterion(
    "partition_optimizer_state",
    points=3,
    title="divides sizes that do not divide evenly",
    needs=["partition_optimizer_state-share"],
    hint="Which rank gets what is left over when you divide?",
)
@pytest.mark.parametrize("case", UNEVEN)
def test_uneven(student: Any, cluster_of: ClusterOf, case: Case) -> None:
    _expect_padded_state(partitioned(student, cluster_of, *case), case)


@criterion(
    "partition_optimizer_state",
    points=3,
    title="works with fewer parameters than ranks",
    needs=["partition_optimizer_state-uneven"],
    hint="What is the piece of a rank for which nothing is left? Its functions are called all the same.",
)
@pytest.mark.parametrize("case", SMALL)
def test_small(student: Any, cluster_of: ClusterOf, case: Case) -> None:
    _expect_padded_state(partitioned(student, cluster_of, *case), case)


def _expect_padded_state(state: State, case: Case) -> None:
    expect_state(state)
    expect_total(state.kept, STATE_BYTES * padded_elements(*case))


@criterion(
    "partition_optimizer_state",
    points=2,
    title="keeps three arrays apart, and nothing else; the parameters stay",
    needs=["partition_optimizer_state-even"],
    hint="If momentum changes, does variance change with it? And what did you make on the way that somebody still "
    "holds?",
)
@pytest.mark.parametrize("case", EVEN)
def test_owns(student: Any, cluster_of: ClusterOf, case: Case) -> None:
    state = partitioned(student, cluster_of, *case)
    kept = state.kept
    for rank, arrays in enumerate(kept.arrays):
        shown = sum(array.nbytes for array in arrays)
        if kept.stored(rank) < shown:
            raise Failed(
                "Arrays of the state share memory.",
                **kept.told,
                rank=rank,
                expected=f"{shown:,} bytes, for all elements of all arrays",
                actual=f"{kept.stored(rank):,} bytes",
                where=kept.made_at(rank),
            )
        for name, parameter in state.parameters[rank].items():
            expect_unchanged(kept.name, "a parameter", parameter, state.hosts[name], call=kept.call, rank=rank)
        expect_nothing_left(kept.name, kept.run, rank, arrays, kept.call)
    expect_state(state)


@criterion(
    "partition_optimizer_state",
    points=2,
    title="makes none for frozen weights, nor for those of no layer",
    needs=["partition_optimizer_state-share"],
    hint="Do you go through `layers`, or through `parameters`? And which layers are never updated?",
)
@pytest.mark.parametrize("frozen", [(1,), (0, 1, 2)], ids=["one", "all"])
def test_frozen(student: Any, cluster_of: ClusterOf, frozen: tuple[int, ...]) -> None:
    layers = chain(4, 4, 4, 4, frozen=frozen)
    state = partitioned(student, cluster_of, layers, 2, Linear("spare", (4, 4)))
    expect_share(state.kept, STATE_BYTES * elements(layers) // 2, "12 for each of the trainable parameters / N")
    expect_state(state)


@criterion(
    "partition_optimizer_state",
    points=1,
    title="makes it once for tied layers",
    needs=["partition_optimizer_state-once", "partition_optimizer_state-share"],
    hint="Two layers of one name have one weight. What happens when your loop meets the name again?",
)
def test_tied(student: Any, cluster_of: ClusterOf) -> None:
    layers = tuple(Linear(name, (4, 4)) for name in "abcb")
    state = partitioned(student, cluster_of, layers, 3)
    expect_total(state.kept, STATE_BYTES * padded_elements(layers, 3))
    expect_state(state)
    expect_once(state)


@criterion(
    "partition_optimizer_state",
    points=2,
    title="uses other keys for layers that join later",
    needs=["partition_optimizer_state-even"],
    hint="The caller joins both results as `state | added`. What would be lost?",
)
@pytest.mark.parametrize("world_size", [2, 1])
def test_later(student: Any, cluster_of: ClusterOf, world_size: int) -> None:
    cluster = cluster_of(world_size)
    first, later = (Linear("a", (4, 4)), Linear("b", (4, 4))), (Linear("c", (4, 4)), Linear("d", (4, 4)))
    parameters = on_devices(cluster, numbered([*first, *later]))
    before, after = (
        cluster.run(student.partition_optimizer_state, list(layers), per_rank(parameters), RANK, world_size)
        for layers in (first, later)
    )
    for rank, (state, added) in enumerate(zip(before, after, strict=True)):
        again = state.keys() & added.keys()
        if again:
            raise Failed(
                "The state of layers that join later has keys that are in use.",
                call="partition_optimizer_state(…) for layers a and b, then for layers c and d",
                world_size=world_size,
                rank=rank,
                expected="keys that the first result does not have",
                actual=", ".join(sorted(map(repr, again))),
            )


@criterion(
    "partition_optimizer_state",
    points=1,
    title="copies nothing to the host",
    needs=["partition_optimizer_state-even"],
    hint="A slice, a copy and a change of dtype all work on the device.",
    visibility="after_published",
)
def test_host(student: Any, cluster_of: ClusterOf) -> None:
    kept = partitioned(student, cluster_of, chain(3, 7, 5), 4).kept
    expect_no_host_copies(kept.run, kept.name, kept.call)

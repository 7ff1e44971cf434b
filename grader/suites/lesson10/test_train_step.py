"""Criteria of ``train_step``, in tiers: values, memory, traffic, and what lies beyond. Each needs the one before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from checks import ClusterOf
from layers import Linear
from steps import Step, StepCase, Steps, chain, deeper

from grader.authoring import Failed, Run, criterion, memory, place_of
from grader.authoring.judging import (
    alive_at_peak,
    article,
    by_line,
    counted,
    expect_no_host_copies,
    expect_unchanged,
    sent_by,
    spoken,
    tally,
)
from grader.devices.hardware import H100, Hardware
from grader.devices.ledger import Allocation, Collective, Release
from grader.results import Detail

ONE = StepCase(1, chain(2, 4))
TWO = StepCase(2, chain(2, 4))
EVEN = StepCase(4, chain(4, 8, 12, 4))
AGAIN = StepCase(2, chain(2, 4, 2), steps=2)
RANKS = [
    StepCase(1, chain(3, 5, 2)),
    StepCase(2, chain(4, 5, 3)),
    StepCase(3, chain(3, 4, 2), rows=3),
    StepCase(8, chain(4, 9, 3), dtype="float32"),
]
WIDE = StepCase(8, chain(32, 32), rows=1, signed=True)
SHALLOW = deeper(WIDE, 4)
DEEP = replace(deeper(WIDE, 12), hardware=Hardware(H100))  # its step is drawn, over time
UNIT = 32 * 32 * 8
TIED = StepCase(2, tuple(Linear(name, (4, 4)) for name in "abcb"))
FROZEN = StepCase(2, chain(2, 4, 4, 2, frozen=[1]))
UNUSED = StepCase(2, chain(2, 4), unused=(Linear("spare", (4, 4)),))
MICRO = StepCase(2, chain(2, 4, 2), micro_batches=4)
EMPTY = StepCase(4, chain(3, 2, 1), idle=(0,))

TRAFFIC_NEEDS = ["train_step-alive", "train_step-peak", "train_step-rest"]
BEYOND_NEEDS = ["train_step-gathers", "train_step-reduces"]
SHOWN = 4


@pytest.fixture(scope="module")
def steps(student: Any, cluster_of: ClusterOf, seed: int) -> Steps:
    """The learner's training steps."""
    return Steps(student, cluster_of, seed)


# Values


@criterion(
    "train_step",
    points=1,
    title="writes the new weights into the arrays in `shards`",
    needs=["gather-owns", "reduce_gradient-layout"],
    hint="`shards[name] = …` puts another array into the dict, while the caller still holds the old one. What does "
    "`shards[name] -= …` do instead?",
)
def test_writes(steps: Steps) -> None:
    steps.right(ONE)


@criterion(
    "train_step",
    points=2,
    title="takes the mean over ranks and rows",
    needs=["train_step-writes"],
    hint="`loss_gradient` divides by the rows of one rank. Who divides by the number of ranks, and does it happen "
    "once?",
)
def test_mean(steps: Steps) -> None:
    steps.right(TWO)


@criterion(
    "train_step",
    points=3,
    title="makes the step that one device would make",
    needs=["train_step-mean"],
    hint="Follow the gradient by hand through two layers: which weight does each `backward` need, and in which order "
    "do the layers come?",
)
def test_values(steps: Steps) -> None:
    steps.right(EVEN)


@criterion(
    "train_step",
    points=2,
    title="makes it on 1, 2, 3 and 8 ranks, with sizes that do not divide",
    needs=[
        "train_step-values",
        "gather-uneven",
        "gather-small",
        "reduce_gradient-uneven",
        "reduce_gradient-small",
        "shard-dtype",
    ],
    hint="What in your step assumes that every rank has something, or that there is more than one rank?",
    visibility="hidden",
)
@pytest.mark.parametrize("case", RANKS, ids=lambda case: f"{case.world_size}-ranks")
def test_ranks(steps: Steps, case: StepCase) -> None:
    steps.right(case)


@criterion(
    "train_step",
    points=1,
    title="a second step starts from the weights of the first",
    needs=["train_step-values", "shard-dtype"],
    hint="What does your code keep from one step to the next?",
)
def test_again(steps: Steps) -> None:
    steps.right(AGAIN)


@criterion(
    "train_step",
    points=1,
    title="leaves the batches as they are",
    needs=["train_step-values"],
    hint="An operator such as `-=` writes into the array on its left. Whose array is that?",
)
@pytest.mark.parametrize("case", [TWO, EVEN], ids=["1-layer", "3-layers"])
def test_inputs(steps: Steps, case: StepCase) -> None:
    step = steps.right(case)
    for rank, (arrays, hosts) in enumerate(zip(step.batches, step.ranks, strict=True)):
        for pair, host_pair in zip(arrays, hosts, strict=True):
            for array, host in zip(pair, host_pair, strict=True):
                expect_unchanged("train_step", "a batch", array, host, **_told(case), rank=rank)


# Memory


@criterion(
    "train_step",
    points=3,
    title="has at most two gathered weights alive at once",
    needs=["train_step-values", "release-frees"],
    hint="From where on is a gathered weight not needed any more? And when is it needed again?",
)
def test_alive(steps: Steps) -> None:
    step = steps.right(DEEP)
    for rank, most in enumerate(_most_gathered(step.run)):
        if len(most) > 2:
            total = sum(each.bytes for each in most)
            raise Failed(
                "More than two gathered weights are alive at once.",
                **_told(DEEP),
                rank=rank,
                expected="at most 2 outputs of all-gathers at once",
                actual=f"{len(most)} of them, {total:,} bytes, with {len(DEEP.layers)} layers",
                detail=memory([("two weights", 2 * UNIT), ("at once", total)], 2 * UNIT, by_line(most)),
                where=place_of(most[-1].where),
            )


def _most_gathered(run: Run) -> list[tuple[Allocation, ...]]:
    """By rank, the outputs of all-gathers that are alive when there are most of them."""
    made: dict[int, Allocation] = {}
    alive: list[dict[int, Allocation]] = [{} for _ in run.before]
    most: list[tuple[Allocation, ...]] = [() for _ in run.before]
    for event in run.ledger.events:
        if isinstance(event, Allocation):
            made[event.storage] = event
        elif isinstance(event, Release):
            alive[event.rank].pop(event.storage, None)
        elif isinstance(event, Collective) and event.operation == "all_gather_into_tensor":
            for share in event.shares:
                own = alive[share.rank]
                own |= {number: made[number] for number in share.outputs if number in made}
                most[share.rank] = max(most[share.rank], tuple(own.values()), key=len)
    return most


@criterion(
    "train_step",
    points=3,
    title="has a peak that does not grow by a weight with every layer",
    needs=["train_step-alive"],
    hint="Besides gathered weights, what of a layer's full size does your step make? Who still holds it when the next "
    "layer's turn comes?",
)
def test_peak(steps: Steps, record_detail: Callable[[Detail], None]) -> None:
    shallow, deep = steps.right(SHALLOW).run.peak_above_rest, steps.right(DEEP).run.peak_above_rest
    more = len(DEEP.layers) - len(SHALLOW.layers)
    for rank, (low, high) in enumerate(zip(shallow, deep, strict=True)):
        bound = low + more * UNIT // 2
        if high >= bound:
            growth = (high - low) / more / UNIT
            points = [
                (f"peak above rest, {len(SHALLOW.layers)} layers", low),
                (f"peak above rest, {len(DEEP.layers)} layers", high),
            ]
            lines = by_line(alive_at_peak(steps.taken(DEEP).run, rank))
            raise Failed(
                "The peak grows with the number of layers.",
                **_told(DEEP),
                rank=rank,
                expected=f"less than half a weight, {UNIT // 2:,} bytes, more for each layer",
                actual=f"{growth:.2g} weights, {(high - low) // more:,} bytes, more for each layer",
                detail=memory(points, bound, lines),
                where=lines[0].place if lines else None,
            )
    record_detail(steps.right(DEEP).run.timeline(0))


@criterion(
    "train_step",
    points=2,
    title="has as many bytes allocated after the step as before",
    needs=["train_step-values", "release-frees"],
    hint="What did the step allocate that outlives it: kept in a module's variable, or never released?",
)
@pytest.mark.parametrize("case", [EVEN, SHALLOW], ids=["3-layers", "4-layers"])
def test_rest(steps: Steps, case: StepCase) -> None:
    run = steps.right(case).run
    for rank, (before, after) in enumerate(zip(run.before, run.after, strict=True)):
        if after != before:
            left = tuple(event for event in run.ledger.live(rank) if event.bytes)
            points = [("before the step", before), ("at the peak", run.peak[rank]), ("after the step", after)]
            raise Failed(
                "The step leaves memory allocated." if after > before else "The step frees what is not its own.",
                **_told(case),
                rank=rank,
                expected=f"{before:,} bytes, as before the step",
                actual=f"{after:,} bytes",
                detail=memory(points, before, by_line(left)),
                where=place_of(left[0].where) if left else None,
            )


# Traffic


@criterion(
    "train_step",
    points=1,
    title="gathers each layer once or twice",
    needs=[*TRAFFIC_NEEDS, "gather-collectives", "reduce_gradient-collectives"],
    hint="Forward needs the weight, and backward needs it again. What is a further gather for?",
)
def test_gathers(steps: Steps) -> None:
    step = steps.right(EVEN)
    _expect_gathers(step, 2)
    others = EVEN.world_size - 1
    sizes = {others * EVEN.piece_bytes([layer]): layer for layer in EVEN.layers}
    for rank in range(EVEN.world_size):
        gathers = [each for each in step.run.ledger.collectives("all_gather_into_tensor") if sent_by(each, rank)]
        counts = Counter(sent_by(each, rank) for each in gathers)
        for size, count in counts.items():
            if size in sizes and count > 2:
                wrong = [each for each in gathers if sent_by(each, rank) == size][2]
                raise Failed(
                    "A layer is gathered more than twice.",
                    **_told(EVEN),
                    rank=rank,
                    expected="each layer gathered once or twice",
                    actual=f"layer {sizes[size].name!r} gathered {count} times",
                    where=place_of(wrong.shares[0].where),
                )


@criterion(
    "train_step",
    points=2,
    title="reduce-scatters each gradient once, no all-reduce",
    needs=[*TRAFFIC_NEEDS, "gather-collectives", "reduce_gradient-collectives"],
    hint="A rank updates its own piece only. How much of the averaged gradient must reach it?",
)
def test_reduces(steps: Steps) -> None:
    step = steps.right(EVEN)
    _expect_no_all_reduce(step)
    _expect_reduced(step, EVEN.layers)


@criterion(
    "train_step",
    points=1,
    title="sends at most 1.5 times what data parallelism does",
    needs=["train_step-gathers", "train_step-reduces"],
    hint="Two all-gathers and one reduce-scatter for each layer are 1.5 times an all-reduce. What is sent beyond them?",
    visibility="after_published",
)
def test_sent(steps: Steps) -> None:
    run = steps.right(EVEN).run
    bound = 3 * (EVEN.world_size - 1) * EVEN.piece_bytes(EVEN.layers)
    for rank in range(EVEN.world_size):
        sent = run.ledger.bytes_sent(rank)
        if sent > bound:
            usual = ("all_gather_into_tensor", "reduce_scatter_tensor")
            found = run.ledger.collectives()
            other = next((each for each in found if each.operation not in usual), found[-1])
            raise Failed(
                "The step sends more than two all-gathers and one reduce-scatter of each layer.",
                **_told(EVEN),
                rank=rank,
                expected=f"at most {bound:,} bytes, 1.5 times those of data parallelism",
                actual=f"{sent:,} bytes, in {tally(found)}",
                where=place_of(other.shares[0].where),
            )


@criterion(
    "train_step",
    points=1,
    title="copies nothing to the host",
    needs=[*TRAFFIC_NEEDS, "gather-collectives", "reduce_gradient-collectives"],
    hint="Everything that a step needs is on the device. Which operation does there what you went to the host for?",
    visibility="after_published",
)
def test_host(steps: Steps) -> None:
    expect_no_host_copies(steps.right(EVEN).run, "train_step", EVEN.call)


def _expect_gathers(step: Step, times: int) -> None:
    """No rank may send more in all-gathers than every layer ``times`` over."""
    case = step.case
    bound = times * (case.world_size - 1) * case.piece_bytes(case.layers)
    for rank in range(case.world_size):
        sent = step.run.ledger.bytes_sent(rank, "all_gather_into_tensor")
        if sent > bound:
            gathers = step.run.ledger.collectives("all_gather_into_tensor")
            raise Failed(
                "All-gathers send more than every layer once for each pass.",
                **_told(case),
                rank=rank,
                expected=f"at most {bound:,} bytes in all-gathers, {times} times every layer",
                actual=f"{sent:,} bytes, in {counted(len(gathers), 'all-gather')}",
                where=place_of(gathers[-1].shares[0].where),
            )


def _expect_reduced(step: Step, layers: tuple[Linear, ...], times: int = 1) -> None:
    """Every rank must send these gradients in reduce-scatters, and up to ``times`` over."""
    case = step.case
    once = (case.world_size - 1) * case.piece_bytes(layers)
    for rank in range(case.world_size):
        sent = step.run.ledger.bytes_sent(rank, "reduce_scatter_tensor")
        if not once <= sent <= times * once:
            scatters = step.run.ledger.collectives("reduce_scatter_tensor")
            raise Failed(
                "Reduce-scatters send more than the gradients of the trainable layers."
                if sent > once
                else "Not every gradient is reduce-scattered.",
                **_told(case),
                rank=rank,
                expected=f"{once:,} bytes in reduce-scatters" + (f", {times} times at most" if times > 1 else ""),
                actual=f"{sent:,} bytes, in {counted(len(scatters), 'reduce-scatter')}",
                where=place_of(scatters[-1].shares[0].where) if scatters else None,
            )


def _expect_no_all_reduce(step: Step) -> None:
    for each in step.run.ledger.collectives("all_reduce"):
        raise Failed(
            "An all-reduce where a reduce-scatter does.",
            **_told(step.case),
            expected="one reduce-scatter of each gradient, and no all-reduce",
            actual=tally(step.run.ledger.collectives()),
            where=place_of(each.shares[0].where),
        )


def _told(case: StepCase) -> dict[str, Any]:
    return {"call": case.call, "world_size": case.world_size}


# Beyond


@criterion(
    "train_step",
    points=2,
    title="adds the gradients of tied layers up, and updates once",
    needs=BEYOND_NEEDS,
    hint="Two layers of one name have one shard. What happens to the first gradient when the second comes? And may the "
    "weight change in between?",
)
def test_tied(steps: Steps) -> None:
    step = steps.right(TIED)
    _expect_no_all_reduce(step)
    _expect_gathers(step, 2)


@criterion(
    "train_step",
    points=1,
    title="gathers a frozen layer, never reduces it, and keeps its weight",
    needs=BEYOND_NEEDS,
    hint="`backward` gives None for the weight of a frozen layer. What must still flow through it?",
)
def test_frozen(steps: Steps) -> None:
    step = steps.right(FROZEN)
    _expect_no_all_reduce(step)
    _expect_reduced(step, tuple(layer for layer in FROZEN.layers if layer.trainable))


@criterion(
    "train_step",
    points=1,
    title="leaves alone a shard that no layer has",
    needs=BEYOND_NEEDS,
    hint="Do you go through `layers`, or through `shards`?",
)
def test_unused(steps: Steps) -> None:
    step = steps.right(UNUSED)
    _expect_no_all_reduce(step)
    _expect_gathers(step, 2)
    _expect_reduced(step, UNUSED.layers)


@criterion(
    "train_step",
    points=2,
    title="adds micro-batches up, and updates once after the last",
    needs=BEYOND_NEEDS,
    hint="Which weights must the second micro-batch see? And what becomes of the gradient of the first?",
)
def test_micro(steps: Steps) -> None:
    step = steps.right(MICRO)
    _expect_no_all_reduce(step)
    _expect_gathers(step, 2 * MICRO.micro_batches)
    _expect_reduced(step, MICRO.layers, MICRO.micro_batches)


@criterion(
    "train_step",
    points=1,
    title="has every rank in every collective, also with an empty piece",
    needs=[*BEYOND_NEEDS, "train_step-ranks"],
    hint="A rank that stays away from a collective leaves the others waiting. What decides in your code whether it is "
    "called?",
    visibility="hidden",
)
def test_order(steps: Steps) -> None:
    step = steps.right(EMPTY)
    for each in step.run.ledger.collectives():
        if len(each.shares) < EMPTY.world_size:
            raise Failed(
                "A collective is called by some ranks only.",
                **_told(EMPTY),
                expected=f"{EMPTY.world_size} ranks in every collective",
                actual=f"{counted(len(each.shares), 'rank')} in {article(spoken(each.operation))}",
                where=place_of(each.shares[0].where),
            )

"""Criteria of ``reduce_gradient``. What it must return is what the learner's own ``shard`` makes of the mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from checks import (
    SMALL,
    UNEVEN,
    Case,
    ClusterOf,
    Pieces,
    cut,
    drawn,
    expect_one_collective,
    expect_own,
    expect_sent,
    expect_share,
    numbered,
    sound,
    values,
)

from grader.authoring import Failed, Run, criterion, measured
from grader.authoring.judging import (
    Host,
    allocated_at,
    difference,
    expect_no_host_copies,
    expect_nothing_left,
    expect_unchanged,
)
from grader.devices import DeviceArray, per_rank
from grader.results import Place

EVEN = [((8, 3), 4), ((6,), 2), ((8, 1, 2), 8)]


@dataclass(frozen=True, slots=True)
class Reduced:
    """Gradients by rank, their mean as ``shard`` cuts it, and what ``reduce_gradient`` made of them."""

    model: Pieces
    hosts: list[Host]
    gradients: list[DeviceArray]
    run: Run
    arrays: list[DeviceArray]
    call: str

    @property
    def mean(self) -> Host:
        host: Host = self.model.host
        return host

    def made_at(self, rank: int) -> Place | None:
        """The line that allocated a result."""
        return allocated_at(self.run.ledger, self.arrays[rank])


def reduced(
    student: Any,
    cluster_of: ClusterOf,
    shape: tuple[int, ...],
    world_size: int,
    dtype: str = "float32",
    transposed: bool = False,
) -> Reduced:
    """Have the learner's ``reduce_gradient`` average gradients of known elements, no mean of which is also a sum."""
    base = 8 * numbered(shape)
    hosts = [(base + 2 * rank).astype(dtype) for rank in range(world_size)]
    mean = (base + world_size - 1).astype(dtype)
    model = cut(student, cluster_of(world_size), mean)
    cluster = cluster_of(world_size)
    pairs = list(zip(cluster.devices, hosts, strict=True))
    gradients = [device.array(host.T).T if transposed else device.array(host) for device, host in pairs]
    run = measured(cluster, student.reduce_gradient, per_rank(gradients), cluster.world)
    arrays = sound(run.results, cluster, "reduce_gradient")
    call = f"reduce_gradient(gradient, group), shape {shape}, {dtype}{', a transpose' if transposed else ''}"
    return Reduced(model, hosts, gradients, run, arrays, call)


def expect_mean(result: Reduced, rtol: float = 0.0) -> None:
    """All ranks together must hold every element of the mean, wherever it lies."""
    found = np.concatenate([values(array).ravel() for array in result.arrays])
    mean = result.mean.ravel()
    lost = _lost(mean, found, rtol)
    if not lost:
        return
    total = np.sum(result.hosts, axis=0).ravel()
    told: dict[str, Any] = {
        "call": result.call,
        "expected": "every element of the mean over ranks on some rank",
        "where": result.made_at(0),
    }
    if len(result.hosts) > 1 and not _lost(total, found, rtol):
        raise Failed("The result is the sum over ranks, not the mean.", actual="the elements of the sum", **told)
    if np.isnan(found).all():
        raise Failed("The result is NaN: memory that was never written.", actual="NaN everywhere", **told)
    raise Failed(
        "The result is not the mean over ranks.", actual=f"{lost} of its {mean.size} elements on no rank", **told
    )


def _lost(wanted: Host, found: Host, rtol: float) -> int:
    """How many of the wanted elements are not among those found."""
    distance = np.abs(wanted[:, None] - found[None, :].astype("float64"))
    with np.errstate(all="ignore"):
        return int((~(distance <= rtol * np.abs(wanted)[:, None])).all(axis=1).sum())


def expect_layout(result: Reduced, rtol: float = 0.0) -> None:
    """Each rank must hold what ``shard`` makes of the mean. Padding may hold anything."""
    for rank, (array, piece) in enumerate(zip(result.arrays, result.model.arrays, strict=True)):
        told: dict[str, Any] = {"call": result.call, "rank": rank, "where": result.made_at(rank)}
        if array.shape != piece.shape:
            raise Failed(
                "The result has another shape than the piece that shard makes.",
                expected=f"shape {piece.shape}, that of shard(gradient, {rank}, {len(result.arrays)})",
                actual=f"shape {array.shape}",
                **told,
            )
        found, expected = values(array), values(piece)
        owned = np.isin(expected, result.mean)
        different = difference(np.where(owned, expected, 0), np.where(owned, found, 0), rtol)
        if different is not None:
            raise Failed(
                "The mean is laid out otherwise than shard lays it out.",
                expected=f"the elements of shard(mean, {rank}, {len(result.arrays)}), in their places",
                actual=f"{different.count} of {different.total} elements differ",
                detail=different,
                **told,
            )


@criterion(
    "reduce_gradient",
    points=2,
    title="gives the mean over ranks, not the sum",
    needs=["shard-even"],
    hint='What does `op="sum"` leave to be done, and which other `op` is there?',
)
@pytest.mark.parametrize(("shape", "world_size"), EVEN)
def test_mean(student: Any, cluster_of: ClusterOf, shape: tuple[int, ...], world_size: int) -> None:
    expect_mean(reduced(student, cluster_of, shape, world_size))


@criterion(
    "reduce_gradient",
    points=2,
    title="lays the result out as `shard` does",
    needs=["reduce_gradient-mean"],
    hint="What would `shard(gradient, rank, N)` return: which shape, which elements? A reduce-scatter cuts its input "
    "in rank order.",
)
@pytest.mark.parametrize(
    ("shape", "world_size", "transposed"), [*((*case, False) for case in EVEN), ((8, 4), 2, True), ((4, 2), 1, False)]
)
def test_layout(student: Any, cluster_of: ClusterOf, shape: tuple[int, ...], world_size: int, transposed: bool) -> None:
    result = reduced(student, cluster_of, shape, world_size, transposed=transposed)
    expect_mean(result)
    expect_layout(result)


@criterion(
    "reduce_gradient",
    points=2,
    title="reduces a size that does not divide",
    needs=["reduce_gradient-layout", "shard-uneven"],
    hint="A reduce-scatter needs N parts of one size. What fills the gaps, and where in the input do they lie?",
)
@pytest.mark.parametrize("case", UNEVEN)
def test_uneven(student: Any, cluster_of: ClusterOf, rng: np.random.Generator, case: Case | None) -> None:
    shape, world_size = drawn(case, rng)
    result = reduced(student, cluster_of, shape, world_size)
    expect_mean(result, rtol=1e-6)
    expect_layout(result, rtol=1e-6)


@criterion(
    "reduce_gradient",
    points=1,
    title="reduces fewer rows than ranks, one element, none",
    needs=["reduce_gradient-uneven", "shard-small"],
    hint="Does every rank take part, also one that keeps nothing? What is the first axis of a 0-d gradient?",
    visibility="hidden",
)
@pytest.mark.parametrize(("shape", "world_size"), SMALL)
def test_small(student: Any, cluster_of: ClusterOf, shape: tuple[int, ...], world_size: int) -> None:
    result = reduced(student, cluster_of, shape, world_size)
    expect_mean(result, rtol=1e-6)
    expect_layout(result, rtol=1e-6)


@criterion(
    "reduce_gradient",
    points=2,
    title="uses one reduce-scatter, no all-reduce",
    needs=["reduce_gradient-mean"],
    hint="An all-reduce gives every rank the whole mean. Which part of it does a rank need?",
)
@pytest.mark.parametrize(("shape", "world_size"), [((8, 3), 4), ((6,), 2)])
def test_collectives(student: Any, cluster_of: ClusterOf, shape: tuple[int, ...], world_size: int) -> None:
    result = reduced(student, cluster_of, shape, world_size)
    expect_one_collective(result.run, "reduce_scatter_tensor", "reduce_gradient", result.call)
    expect_no_host_copies(result.run, "reduce_gradient", result.call)
    expect_mean(result)


@criterion(
    "reduce_gradient",
    points=1,
    title="sends (N-1) times the largest piece, no more",
    needs=["reduce_gradient-collectives", "shard-dtype"],
    hint="What a rank receives, it sends N-1 times. Is that larger than a piece, or of a wider dtype?",
    visibility="after_published",
)
@pytest.mark.parametrize("world_size", [4, 2])
def test_sent(student: Any, cluster_of: ClusterOf, world_size: int) -> None:
    result = reduced(student, cluster_of, (8, 4), world_size)
    expect_sent(result.run, (world_size - 1) * result.model.largest, "reduce_gradient", result.call)
    expect_mean(result)


@criterion(
    "reduce_gradient",
    points=1,
    title="owns its storage, and leaves the gradient as it is",
    needs=["reduce_gradient-mean"],
    hint="Which of your arrays is the result a view of? On one rank the mean equals the gradient: is it a piece of its "
    "own then?",
)
@pytest.mark.parametrize(("shape", "world_size"), [((8, 3), 4), ((6,), 2), ((4, 2), 1)])
def test_owns(student: Any, cluster_of: ClusterOf, shape: tuple[int, ...], world_size: int) -> None:
    result = reduced(student, cluster_of, shape, world_size)
    trios = zip(result.arrays, result.gradients, result.hosts, strict=True)
    for rank, (array, gradient, host) in enumerate(trios):
        expect_unchanged("reduce_gradient", "the gradient", gradient, host, call=result.call, rank=rank)
        expect_own("reduce_gradient", array, gradient, "the gradient", call=result.call, rank=rank)
        expect_share("reduce_gradient", array, host, world_size, result.run, rank, result.call)
        expect_nothing_left("reduce_gradient", result.run, rank, [array], result.call)
    expect_mean(result)


@criterion(
    "reduce_gradient",
    points=1,
    title="keeps the dtype of the gradient",
    needs=["reduce_gradient-mean", "shard-dtype"],
    hint="Which dtype do your buffers get if you name none?",
)
@pytest.mark.parametrize("dtype", ["float64", "float16"])
def test_dtype(student: Any, cluster_of: ClusterOf, dtype: str) -> None:
    result = reduced(student, cluster_of, (4, 2), 2, dtype)
    for rank, array in enumerate(result.arrays):
        if array.dtype != dtype:
            raise Failed(
                "The result has another dtype than the gradient.",
                call=result.call,
                rank=rank,
                expected=dtype,
                actual=str(array.dtype),
                where=result.made_at(rank),
            )
    expect_mean(result)

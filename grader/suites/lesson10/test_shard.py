"""Criteria of ``shard``."""

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
    Pieces,
    cut,
    drawn,
    expect_every_element,
    expect_own,
    expect_share,
    numbered,
    values,
)

from grader.authoring import Failed, criterion, memory
from grader.authoring.judging import (
    Host,
    counted,
    difference,
    expect_no_host_copies,
    expect_nothing_left,
    expect_unchanged,
)


@criterion(
    "shard",
    points=1,
    title="gives each rank a piece, not the whole parameter",
    hint="Which rows, or which run of elements, are those of this rank alone?",
)
@pytest.mark.parametrize(("shape", "world_size"), [((8, 3), 4), ((6,), 2)])
def test_piece(student: Any, cluster_of: ClusterOf, shape: tuple[int, ...], world_size: int) -> None:
    pieces = cut(student, cluster_of(world_size), numbered(shape))
    whole = pieces.host.size
    sizes = [piece.size for piece in pieces.arrays]
    told: dict[str, Any] = {"call": pieces.call, "expected": f"on each rank a piece of the {whole} elements"}
    for rank, size in enumerate(sizes):
        if size >= whole:
            raise Failed(
                "A rank has as much as the whole parameter.",
                rank=rank,
                actual=f"{counted(size, 'element')}",
                where=pieces.made_at(rank),
                **told,
            )
    if sum(sizes) < whole:
        raise Failed(
            "All ranks together have less than the whole parameter.",
            actual=f"{counted(sum(sizes), 'element')} on all ranks together",
            where=pieces.made_at(),
            **told,
        )


@criterion(
    "shard",
    points=1,
    title="keeps every element of a size that divides",
    needs=["shard-piece"],
    hint="Where does the piece of rank 0 end, and where does that of the next rank begin?",
)
@pytest.mark.parametrize(("shape", "world_size"), EVEN)
def test_even(student: Any, cluster_of: ClusterOf, shape: tuple[int, ...], world_size: int) -> None:
    expect_every_element(cut(student, cluster_of(world_size), numbered(shape)))


@criterion(
    "shard",
    points=3,
    title="keeps every element of a size that does not divide",
    needs=["shard-even"],
    hint="Which rank gets what is left over when you divide?",
)
@pytest.mark.parametrize("case", [((5, 3), 4), *UNEVEN])
def test_uneven(student: Any, cluster_of: ClusterOf, rng: np.random.Generator, case: Case | None) -> None:
    shape, world_size = drawn(case, rng)
    expect_every_element(cut(student, cluster_of(world_size), numbered(shape, "float32")))


@criterion(
    "shard",
    points=2,
    title="gives every rank a piece, also where there is less than one each",
    needs=["shard-uneven"],
    hint="Is the piece of a rank that gets nothing still an array? Of which shape? And what is the first axis of a 0-d "
    "parameter?",
)
@pytest.mark.parametrize(("shape", "world_size"), SMALL)
def test_small(student: Any, cluster_of: ClusterOf, shape: tuple[int, ...], world_size: int) -> None:
    expect_every_element(cut(student, cluster_of(world_size), numbered(shape)))


@criterion(
    "shard",
    points=3,
    title="keeps no more than its share, padding included",
    needs=["shard-uneven", "shard-small"],
    hint="How many bytes is the largest of N shares? What else than that does this rank still hold?",
)
@pytest.mark.parametrize("case", [((8, 3), 4), ((11, 2), 4), ((3, 2), 8), ((), 4), *UNEVEN])
def test_bytes(student: Any, cluster_of: ClusterOf, rng: np.random.Generator, case: Case | None) -> None:
    shape, world_size = drawn(case, rng)
    pieces = cut(student, cluster_of(world_size), numbered(shape))
    for rank, piece in enumerate(pieces.arrays):
        expect_share("shard", piece, pieces.host, world_size, pieces.run, rank, pieces.call)
        expect_nothing_left("shard", pieces.run, rank, [piece], pieces.call)


@criterion(
    "shard",
    points=1,
    title="leaves the parameter as it is",
    needs=["shard-even"],
    hint="Which of your lines writes into the caller's array, or into a view of it?",
)
@pytest.mark.parametrize(("shape", "world_size"), [((8, 3), 4), ((6,), 2), ((4, 2), 1)])
def test_input(student: Any, cluster_of: ClusterOf, shape: tuple[int, ...], world_size: int) -> None:
    pieces = cut(student, cluster_of(world_size), numbered(shape))
    _expect_unchanged(pieces)
    expect_every_element(pieces)


def _expect_unchanged(pieces: Pieces) -> None:
    for rank, whole in enumerate(pieces.wholes):
        expect_unchanged("shard", "the whole parameter", whole, pieces.host, call=pieces.call, rank=rank)


@criterion(
    "shard",
    points=2,
    title="owns its storage, so that the whole can be freed",
    needs=["shard-input"],
    hint="A slice is a view: it looks into the storage of the whole. What makes an array with storage of its own?",
)
@pytest.mark.parametrize(("shape", "world_size"), [((8, 3), 4), ((6,), 2), ((4, 2), 1)])
def test_owns(student: Any, cluster_of: ClusterOf, shape: tuple[int, ...], world_size: int) -> None:
    cluster = cluster_of(world_size)
    pieces = cut(student, cluster, numbered(shape))
    for rank, (piece, whole) in enumerate(zip(pieces.arrays, pieces.wholes, strict=True)):
        expect_own("shard", piece, whole, "the whole parameter", call=pieces.call, rank=rank)
    full = cluster.devices[0].memory_allocated()
    for whole in pieces.wholes:
        whole.free()
    piece, alone = pieces.arrays[0], cluster.devices[0].memory_allocated()
    if alone > piece.storage.nbytes:
        points = [("after shard", full), ("after the whole is freed", alone)]
        raise Failed(
            "More than the piece stays allocated when the whole is freed.",
            call=pieces.call,
            rank=0,
            expected=f"{piece.storage.nbytes} bytes",
            actual=f"{alone} bytes",
            detail=memory(points, piece.storage.nbytes),
        )
    expect_every_element(pieces)


@criterion(
    "shard",
    points=2,
    title="keeps the dtype of the parameter",
    needs=["shard-uneven"],
    hint="Which dtype does a new array get if you name none?",
)
@pytest.mark.parametrize("dtype", ["float64", "float16", "int32", "bool"])
def test_dtype(student: Any, cluster_of: ClusterOf, dtype: str) -> None:
    pieces = cut(student, cluster_of(2), numbered((5, 3), dtype))
    for rank, piece in enumerate(pieces.arrays):
        if piece.dtype != dtype:
            raise Failed(
                "The piece has another dtype than the parameter.",
                call=pieces.call,
                rank=rank,
                expected=dtype,
                actual=str(piece.dtype),
                where=pieces.made_at(rank),
            )
    expect_every_element(pieces)


@criterion(
    "shard",
    points=2,
    title="cuts a transpose or a slice in index order",
    needs=["shard-even"],
    hint="The elements of a view lie elsewhere in its storage than their indices say. In which order does `x.ravel()` "
    "give them, and in which did you take them?",
    visibility="hidden",
)
@pytest.mark.parametrize("view", ["transpose", "columns", "rows"])
def test_strided(student: Any, cluster_of: ClusterOf, view: str) -> None:
    host, cluster = numbered((6, 4)), cluster_of(2)
    if view == "transpose":
        wholes = [device.array(host.T).T for device in cluster.devices]
    elif view == "columns":
        wholes = [device.array(np.repeat(host, 2, axis=1))[:, ::2] for device in cluster.devices]
    else:
        wholes = [device.array(host[::-1])[::-1] for device in cluster.devices]
    strided, straight = cut(student, cluster, host, wholes), cut(student, cluster_of(2), host)
    expect_every_element(strided)
    for rank, (piece, model) in enumerate(zip(strided.arrays, straight.arrays, strict=True)):
        _expect_alike(strided, rank, values(piece), values(model), view)


def _expect_alike(pieces: Pieces, rank: int, found: Host, expected: Host, view: str) -> None:
    told: dict[str, Any] = {
        "call": f"{pieces.call}, a view ({view})",
        "rank": rank,
        "expected": "the piece that a contiguous parameter of the same elements gives",
        "where": pieces.made_at(rank),
    }
    message = "A view is cut in another order than a contiguous parameter."
    if found.shape != expected.shape:
        raise Failed(message, actual=f"shape {found.shape}, not {expected.shape}", **told)
    different = difference(np.where(np.isin(expected, pieces.host), expected, found), found)
    if different is not None:
        raise Failed(
            message, actual=f"{different.count} of {different.total} elements differ", detail=different, **told
        )


@criterion(
    "shard",
    points=1,
    title="copies nothing to the host",
    needs=["shard-uneven"],
    hint="Slices, `np.concatenate`, `np.pad` and assignment all work on the device. Which of them does what you went "
    "to the host for?",
)
@pytest.mark.parametrize(("shape", "world_size"), [((8, 3), 4), ((5, 3), 4), ((7,), 2)])
def test_host(student: Any, cluster_of: ClusterOf, shape: tuple[int, ...], world_size: int) -> None:
    pieces = cut(student, cluster_of(world_size), numbered(shape))
    expect_no_host_copies(pieces.run, "shard", pieces.call)
    expect_every_element(pieces)

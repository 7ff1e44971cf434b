"""Criteria of ``release``, which is tried on what the learner's own ``gather`` returned."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from checks import ClusterOf, Pieces, cut, expect_whole, gathered, numbered, values

from grader.authoring import Failed, Run, criterion, held, measured, memory, place_of
from grader.authoring.judging import difference
from grader.devices import DeviceArray, per_rank


@criterion(
    "release",
    points=2,
    title="gives the gathered storage back, whoever holds a view of it",
    needs=["gather-again"],
    hint="`del` forgets one name; storage lives while anyone holds a view of it. Which method gives storage back "
    "whoever holds it?",
)
@pytest.mark.parametrize(("shape", "world_size"), [((8, 4), 4), ((6, 2), 2)])
def test_frees(student: Any, cluster_of: ClusterOf, shape: tuple[int, ...], world_size: int) -> None:
    pieces = _only_pieces(student, cluster_of, shape, world_size)
    run, wholes = gathered(student, pieces)
    views = [whole.T[:, 1:] for whole in wholes]
    released = _release(student, pieces, wholes)
    for rank, view in enumerate(views):
        rest, now = run.before[rank], released.after[rank]
        if now > rest:
            points = [("after shard", rest), ("after gather", run.after[rank]), ("after release", now)]
            shard = pieces.arrays[rank].storage.number
            left = tuple(event for event in pieces.cluster.ledger.live(rank) if event.storage != shard)
            same = len(set(released.after)) == 1 and world_size > 1
            raise Failed(
                "Gathered bytes are still allocated after release.",
                call=_call(pieces),
                rank=rank,
                expected=f"{rest:,} bytes on the device, as before the gather",
                actual=f"{now:,} bytes" + (f", the same on all {world_size} ranks" if same else ""),
                detail=memory(points, rest, held(left)),
                where=place_of(left[0].where) if left else None,
            )
        if not view.is_freed:
            raise Failed(
                "The gathered parameter can still be used after release.",
                call=_call(pieces),
                rank=rank,
                expected="its storage given back, under every view",
                actual="a view of it that is not freed",
            )


@criterion(
    "release",
    points=1,
    title="leaves the shard readable and unchanged",
    needs=["release-frees", "gather-owns"],
    hint="Whose storage is the one that you free: that of the gathered parameter alone?",
)
@pytest.mark.parametrize(("shape", "world_size"), [((8, 4), 4), ((4, 3), 1)])
def test_shard(student: Any, cluster_of: ClusterOf, shape: tuple[int, ...], world_size: int) -> None:
    pieces = _only_pieces(student, cluster_of, shape, world_size)
    before = [values(piece) for piece in pieces.arrays]
    _, wholes = gathered(student, pieces)
    _release(student, pieces, wholes)
    _expect_freed(pieces, wholes)
    for rank, (piece, old) in enumerate(zip(pieces.arrays, before, strict=True)):
        told: dict[str, Any] = {"call": _call(pieces), "rank": rank, "expected": "the shard as it was"}
        if piece.is_freed:
            raise Failed("release frees the shard too.", actual="its storage was given back", **told)
        different = difference(old, values(piece))
        if different is not None:
            changed = f"{different.count} of {different.total} elements changed"
            raise Failed("release changes the shard.", actual=changed, detail=different, **told)


@criterion(
    "release",
    points=1,
    title="frees nothing but the parameter that it is given",
    needs=["release-frees"],
    hint="Which arrays does `release` reach, besides its argument?",
    visibility="hidden",
)
@pytest.mark.parametrize("world_size", [1, 2])
def test_others(student: Any, cluster_of: ClusterOf, world_size: int) -> None:
    cluster = cluster_of(world_size)
    first, second = (cut(student, cluster, numbered((4, 3), first=start)) for start in (101, 501))
    (_, wholes), (_, others) = gathered(student, first), gathered(student, second)
    _release(student, first, wholes)
    _expect_freed(first, wholes)
    for rank, other in enumerate(others):
        if other.is_freed:
            raise Failed(
                "release frees another gathered parameter too.",
                call=_call(first),
                rank=rank,
                expected="the other parameter as it was",
                actual="its storage was given back",
            )
        expect_whole(second, rank, other)


@criterion(
    "release",
    points=1,
    title="does no harm the second time",
    needs=["release-frees"],
    hint="How can an array tell whether its storage was given back already?",
)
@pytest.mark.parametrize("world_size", [1, 2])
def test_twice(student: Any, cluster_of: ClusterOf, world_size: int) -> None:
    pieces = _only_pieces(student, cluster_of, (4, 3), world_size)
    _, wholes = gathered(student, pieces)
    once = _release(student, pieces, wholes)
    _expect_freed(pieces, wholes)
    twice = _release(student, pieces, wholes)
    if twice.after != once.after:
        raise Failed(
            "A second release changes what is allocated.",
            call=_call(pieces),
            rank=int(np.argmax(np.not_equal(twice.after, once.after))),
            expected=f"{once.after[0]:,} bytes on rank 0, as after the first",
            actual=f"{twice.after[0]:,} bytes",
        )


def _only_pieces(student: Any, cluster_of: ClusterOf, shape: tuple[int, ...], world_size: int) -> Pieces:
    pieces = cut(student, cluster_of(world_size), numbered(shape, "float32"))
    pieces.wholes.clear()
    return pieces


def _release(student: Any, pieces: Pieces, wholes: list[DeviceArray]) -> Run:
    return measured(pieces.cluster, student.release, per_rank(wholes))


def _expect_freed(pieces: Pieces, wholes: list[DeviceArray]) -> None:
    for rank, whole in enumerate(wholes):
        if not whole.is_freed:
            raise Failed(
                "release does not give the storage back.",
                call=_call(pieces),
                rank=rank,
                expected="its storage given back",
                actual="storage still allocated",
            )


def _call(pieces: Pieces) -> str:
    return f"release(full), shape {pieces.host.shape}, {pieces.host.dtype}"

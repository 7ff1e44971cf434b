"""What the criteria share: parameters of known elements, the learner's pieces of them, and the words of a failure."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from grader.authoring import Failed, Run, StudentError, held, measured, memory, place_of
from grader.authoring.judging import Host, allocated_at, article, difference, sent_by, spoken, tally
from grader.devices import RANK, Cluster, DeviceArray, per_rank
from grader.devices.layout import packed
from grader.results import Place

ClusterOf: TypeAlias = Callable[..., Cluster]
Case: TypeAlias = tuple[tuple[int, ...], int]

# A shape and a number of ranks. None stands for one that is drawn; see `drawn`.
EVEN: Sequence[Case] = [((8, 3), 4), ((6,), 2), ((4, 2, 3), 4), ((5, 2), 1)]
UNEVEN: Sequence[Case | None] = [((7, 3), 4), ((7,), 2), ((7, 2), 3), None]
SMALL: Sequence[Case] = [((3, 2), 8), ((1, 4), 2), ((), 4), ((1,), 3), ((0, 3), 2), ((3, 0), 2)]

FIRST = 101
LARGEST = 100_000


# Parameters


def numbered(shape: tuple[int, ...], dtype: str = "float32", first: int = FIRST) -> Host:
    """Elements that are all different, and none of the values that people pad with.

    >>> numbered((2, 2), "int32")
    array([[101, 102],
           [103, 104]], dtype=int32)
    """
    return np.arange(first, first + math.prod(shape)).reshape(shape).astype(dtype)


def drawn(case: Case | None, rng: np.random.Generator) -> Case:
    """The case, or a random one of rows that do not divide by the ranks, and are enough for each to have some."""
    if case is not None:
        return case
    world_size = int(rng.integers(2, 5))
    rows = world_size * int(rng.integers(world_size - 1, 5)) + int(rng.integers(1, world_size))
    return (rows, int(rng.integers(1, 5))), world_size


def share(shape: tuple[int, ...], world_size: int) -> int:
    """The most elements that a piece may have: those of ceil(rows / N) rows.

    >>> share((5, 3), 4), share((), 4)
    (6, 1)
    """
    rows, *rest = shape or (1,)
    return -(-rows // world_size) * math.prod(rest)


# What the learner returned


def sound(results: Sequence[Any], cluster: Cluster, name: str) -> list[DeviceArray]:
    """The arrays that a run returned, once it is sure that they can be looked at."""
    for rank, array in enumerate(results):
        if array.machine is not cluster.machine or array.storage.rank != rank:
            raise Failed(f"{name} returned an array that is not on the device of its rank.", rank=rank)
        if array.is_freed:
            raise Failed(f"{name} returned an array whose storage it has given back.", rank=rank)
        if array.size > LARGEST:
            raise Failed(
                f"{name} returned an array far larger than it should.", rank=rank, actual=f"shape {array.shape}"
            )
    return list(results)


def values(array: DeviceArray) -> Host:
    """The elements of an array that is not freed."""
    return array.numpy()


@dataclass(frozen=True, slots=True)
class Pieces:
    """A parameter, the arrays of it by rank, and the run in which the learner's ``shard`` cut them."""

    cluster: Cluster
    host: Host
    wholes: list[DeviceArray]
    run: Run
    arrays: list[DeviceArray]
    call: str

    @property
    def largest(self) -> int:
        """The bytes of the largest piece."""
        return max(piece.nbytes for piece in self.arrays)

    def again(self) -> Pieces:
        """Pieces like these in storages of their own, as of another parameter with the same elements."""
        return replace(self, wholes=[], arrays=[piece.copy() for piece in self.arrays])

    def made_at(self, rank: int = 0) -> Place | None:
        """The line that allocated a piece."""
        return allocated_at(self.run.ledger, self.arrays[rank])


def cut(student: Any, cluster: Cluster, host: Host, wholes: list[DeviceArray] | None = None) -> Pieces:
    """Have the learner's ``shard`` cut ``host``, of which ``wholes`` are the arrays by rank."""
    if wholes is None:
        wholes = [device.array(host) for device in cluster.devices]
    size = cluster.world_size
    run = measured(cluster, student.shard, per_rank(wholes), RANK, size)
    call = f"shard(full, rank, {size}), {described(host)}"
    arrays = sound(run.results, cluster, "shard")
    return Pieces(cluster, host, wholes, run, arrays, call)


def expect_every_element(pieces: Pieces) -> None:
    """All ranks together must hold every element of the parameter."""
    found = np.concatenate([values(piece).ravel() for piece in pieces.arrays])
    lost = np.flatnonzero(~np.isin(pieces.host.ravel(), found))
    if lost.size:
        raise Failed(
            "Some elements of the parameter are on no rank.",
            call=pieces.call,
            expected="every element of the parameter on some rank",
            actual=f"{lost.size} of its {pieces.host.size} elements on no rank",
            where=pieces.made_at(),
        )


def gathered(student: Any, pieces: Pieces, **told: str) -> tuple[Run, list[DeviceArray]]:
    """Have the learner's ``gather`` put the pieces together; every rank must get the whole parameter."""
    run, wholes = gather_now(student, pieces)
    for rank, whole in enumerate(wholes):
        expect_whole(pieces, rank, whole, allocated_at(run.ledger, whole), **told)
    return run, wholes


def gather_now(student: Any, pieces: Pieces) -> tuple[Run, list[DeviceArray]]:
    """Have the learner's ``gather`` put together what the pieces hold now; every rank must get the right shape."""
    shape = pieces.host.shape
    run = measured(pieces.cluster, student.gather, per_rank(pieces.arrays), shape, pieces.cluster.world)
    wholes = sound(run.results, pieces.cluster, "gather")
    for rank, whole in enumerate(wholes):
        if whole.shape != shape:
            raise Failed(
                "gather returned another shape than that of the whole parameter.",
                call=gather_call(pieces),
                rank=rank,
                expected=f"shape {shape}",
                actual=f"shape {whole.shape}",
                where=allocated_at(run.ledger, whole),
            )
    return run, wholes


def gather_call(pieces: Pieces) -> str:
    """The call of ``gather`` in words."""
    return f"gather(piece, {pieces.host.shape}, group), {pieces.host.dtype}"


def expect_whole(
    pieces: Pieces,
    rank: int,
    whole: DeviceArray,
    where: Place | None = None,
    nan: str = "gather returned NaN: something was read that was never written.",
) -> None:
    """What ``gather`` returned on a rank must have the elements of the parameter. ``nan`` says what NaN means."""
    call = gather_call(pieces)
    found = values(whole)
    different = difference(pieces.host, found)
    if different is not None:
        spoilt = np.isnan(found).any() if found.dtype.kind == "f" else False
        raise Failed(
            nan if spoilt else "gather returned other values than the parameter had.",
            call=call,
            rank=rank,
            expected="every element of the parameter in its place",
            actual=f"{different.count} of {different.total} elements differ",
            detail=different,
            where=where,
        )


def described(host: Host) -> str:
    """The shape and dtype of an array in words."""
    return f"shape {host.shape}, {host.dtype}"


# Memory and traffic


def expect_own(name: str, array: DeviceArray, other: DeviceArray, what: str, **told: Any) -> None:
    """Two arrays must not share storage."""
    if array.storage is other.storage:
        raise Failed(
            f"{name} returned a view into the storage of {what}.",
            expected="an array with storage of its own",
            actual=f"storage of {what}",
            **told,
        )


def expect_share(name: str, array: DeviceArray, host: Host, world_size: int, run: Run, rank: int, call: str) -> None:
    """A piece, and the storage that it keeps alive, must be no larger than the share of a rank."""
    bound = share(host.shape, world_size) * array.itemsize
    rows = f"{-(-host.shape[0] // world_size)} of {host.shape[0]} rows, " if host.shape else ""
    told: dict[str, Any] = {
        "call": call,
        "rank": rank,
        "expected": f"at most {rows}{bound:,} bytes",
        "where": allocated_at(run.ledger, array),
    }
    made = [event for event in run.ledger.live(rank) if event.storage == array.storage.number]
    if array.nbytes > bound:
        trace = memory([("share", bound), ("piece", array.nbytes)], bound, held(tuple(made)))
        raise Failed(f"{name} keeps more than its share.", actual=f"{array.nbytes:,} bytes", detail=trace, **told)
    if array.storage.nbytes > bound and made:
        trace = memory([("share", bound), ("storage of the piece", array.storage.nbytes)], bound, held(tuple(made)))
        raise Failed(
            f"{name} returned a view of a larger array, whose storage stays allocated as a whole.",
            actual=f"{array.nbytes:,} bytes in a storage of {array.storage.nbytes:,}",
            detail=trace,
            **told,
        )


def expect_one_collective(run: Run, operation: str, name: str, call: str) -> None:
    """At most one collective, and of this kind only."""
    found = run.ledger.collectives()
    allowed = [each for each in found if each.operation == operation]
    other = next((each for each in found if each.operation != operation), None)
    wrong = other or (allowed[1] if len(allowed) > 1 else None)
    if wrong is not None:
        wanted = spoken(operation)
        raise Failed(
            f"{name} uses {article(spoken(wrong.operation))} where one {wanted} does."
            if other
            else f"{name} uses more than one {wanted}.",
            call=call,
            world_size=len(run.before),
            expected=f"at most one {wanted}, and nothing else",
            actual=tally(found),
            where=place_of(wrong.shares[0].where),
        )


def expect_sent(run: Run, bound: int, name: str, call: str) -> None:
    """No rank may send more than ``bound`` bytes."""
    for rank in range(len(run.before)):
        sent = run.ledger.bytes_sent(rank)
        if sent > bound:
            most = max(run.ledger.collectives(), key=lambda each: sent_by(each, rank))
            raise Failed(
                f"{name} sends more than (N-1) times the largest piece.",
                call=call,
                world_size=len(run.before),
                rank=rank,
                expected=f"at most {bound:,} bytes sent by each rank",
                actual=f"{sent:,} bytes",
                where=place_of(most.shares[0].where),
            )


# Padding


def spoil_padding(pieces: Pieces) -> None:
    """Write NaN over everything that the pieces store and the parameter does not have."""
    for piece in pieces.arrays:
        stored = piece.view_as(packed((piece.storage.size,)))
        content = values(stored)
        padding = ~np.isin(content, pieces.host.ravel())
        if content.dtype.kind == "f" and padding.any():
            content[padding] = np.nan
            stored[...] = piece.device.array(content)


# Refusals


def expect_refusal(call: Callable[[], object], text: str | None = None) -> str:
    """A call must raise a ValueError. Returns its message; ``text`` is the call in words."""
    try:
        found = call()
    except StudentError as error:
        if isinstance(error, ValueError) and error.trouble.kind == "raised":
            return str(error)
        if error.trouble.kind != "returned":
            raise
        found = error.trouble.text.partition("; ")[0]
    else:
        found = f"returned {found}"
    raise Failed("It accepts what it should refuse.", call=text, expected="a ValueError", actual=found)

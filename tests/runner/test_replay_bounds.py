"""No request of a worker takes memory beyond its caps, or moves bytes that the ledger does not see."""

from __future__ import annotations

import contextlib
import itertools
import math
import tracemalloc
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.devices import Cluster, DeviceError
from grader.devices.ledger import Collective, HostCopy
from grader.devices.operations import table
from grader.devices.storage import Storage
from grader.runner import replay as replay_module
from grader.runner import wire
from grader.runner.replay import DTYPES, LIES, LogState, Replay

from .fuzzing import among, times

MIB = 2**20

# Memory

# Storages of one device of 1 MiB, most of it taken by the first.
SIZES = {-1: ("int8", 2**19), -2: ("float16", 2**16), -3: ("float32", 4096), -4: ("int64", 1), -5: ("float64", 1),
         -6: ("bool", 2**17), -7: ("uint64", 0)}  # fmt: skip
LENGTHS_OF_ANY_KIND = [0, 1, 2, 3, 7, 64, 2**15, 2**16, 2**18, 2**20, 10**8, 10**9, 2**40, 2**62, 2**63 - 1]
shapes = st.one_of(
    st.sampled_from(
        [[2**19], [512, 1024], [2**17], [1, 2**17], [2**17, 1], [2**16], [256, 256], [4096], [64, 64], [1], []]
    ),
    st.sampled_from(
        [[2**20], [8, 2**20], [10**7], [10**7, 1], [1, 10**7], [10**8], [0, 2**20], [7] * 9, [10] * 32, [2] * 17]
    ),
    st.lists(st.sampled_from(LENGTHS_OF_ANY_KIND), max_size=4),
)


@st.composite
def references_of(draw: Any, shape: list[int]) -> list[Any]:
    """A storage that fits the shape; or one element of a storage at every index of it; now and then anything."""
    if draw(st.integers(0, 19)) == 0:
        strides = draw(st.lists(st.integers(-3, 3), max_size=4))
        return [draw(among(*SIZES)), draw(st.integers(0, 3)), shape, strides]
    fitting = [key for key, (_, size) in SIZES.items() if size == math.prod(shape)]
    if fitting and draw(st.booleans()):
        return [draw(among(*fitting)), 0, shape]
    return [draw(among(*SIZES)), 0, shape, [0] * len(shape)]


integers = st.integers(-3, 4) | st.sampled_from([10**9, -(10**9), 2**62, -(2**63), 2**63 - 1])
numbers = st.booleans() | integers | st.floats()
parameters = st.fixed_dictionaries(
    {},
    optional={
        "axis": st.none() | integers | st.lists(st.integers(-3, 3), max_size=3),
        "keepdims": st.booleans(),
        "dtype": st.sampled_from([None, *DTYPES, "O", "S1000000", "M8[s]", "V9", ">f8", "g", "c16", "f4,f4"]),
        "indices": st.lists(integers, max_size=4) | st.just([0] * 5000),
        "widths": st.lists(st.lists(integers, min_size=2, max_size=2), max_size=3),
        "value": numbers,
        "k": integers,
        "ddof": integers | st.floats(),
    },
)
scalars = numbers | st.tuples(st.sampled_from([*DTYPES, "O"]), numbers).map(list)
SUITABLE = {
    "take": {"indices": [0, 0], "axis": 0}, "concatenate": {"axis": 0}, "stack": {"axis": 0}, "tril": {"k": 0},
    "triu": {"k": 0}, "pad": {"widths": [[1, 1]], "value": 0},
}  # fmt: skip


@st.composite
def costly_entries(draw: Any) -> list[Any]:
    kind = draw(among(*[wire.COMPUTE] * 12, wire.CREATE, wire.SHOW, wire.DOWNLOAD))
    shape = draw(shapes)
    if kind == wire.CREATE:
        return [kind, 0, None, shape, draw(among(*DTYPES, "O", "S9")), draw(among(None, 0))]
    if kind != wire.COMPUTE:
        return [kind, 0, None, draw(references_of(shape))]
    name = draw(among(*table(), *SUITABLE, "matmul", "var", "argmax", "where", "cumsum"))
    count = {"where": 3, "clip": 3, "concatenate": 2, "stack": 2}.get(name) or getattr(getattr(np, name), "nin", 1)
    operands = [draw(references_of(shape) if draw(st.integers(0, 4)) else scalars) for _ in range(count)]
    if name == "matmul":
        operands[1] = draw(references_of(draw(st.permutations(shape)) if len(shape) < 4 else shape))
    named = SUITABLE.get(name, {}) | (draw(parameters) if draw(st.booleans()) else {})
    return [kind, 0, None, name, operands, named, draw(references_of(shape)) if draw(among(0, 0, 1)) else None]


@times(8)
@given(costly_entries())
def test_fuzz_a_request_takes_no_more_memory_than_its_caps(entry: list[Any]) -> None:
    cluster = Cluster(1, capacity=MIB, flops=10**8)
    replay, log = Replay(cluster, 1), LogState()
    for key, (dtype, size) in SIZES.items():
        replay.key(cluster.devices[0].zeros(size, dtype).storage, [], key)
    answer: Any = None
    tracemalloc.start()
    try:
        with contextlib.suppress(DeviceError, *LIES):
            answer = replay.apply(entry, b"", log)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= 4 * MIB
    assert cluster.devices[0].max_memory_allocated() <= MIB
    assert len(answer or b"") <= MIB
    assert sum(map(len, log.shown.values())) <= 100_000


@pytest.mark.parametrize("name", ["take", "argmax", "var", "matmul", "argmin", "std", "tril", "triu"])
def test_what_would_be_copied_is_known_before(name: str) -> None:
    """NumPy copies what a broadcast view shows, which takes no memory itself."""
    cluster = Cluster(1, capacity=MIB)
    replay = Replay(cluster, 1)
    replay.key(cluster.devices[0].zeros(1, "float64").storage, [], -1)
    column, row = [-1, 0, [10**8, 1], [0, 0]], [-1, 0, [1, 10**8], [0, 0]]
    named = SUITABLE.get(name, {})
    empty = [-1, 0, [0, 2**40]]  # which has numbers of columns
    operands = {"matmul": [row, column], "tril": [empty], "triu": [empty]}.get(name, [column])
    with pytest.raises(DeviceError, match=r"needs [0-9,]+ bytes for temporary copies"):
        replay.apply([wire.COMPUTE, 0, None, name, operands, named, None], b"", LogState())


@pytest.mark.parametrize("shape", [[7] * 9, [10**9, 10**9], [2] * 20])
def test_a_shown_array_is_short(shape: list[int]) -> None:
    cluster = Cluster(1)
    replay, log = Replay(cluster, 1), LogState()
    replay.key(cluster.devices[0].zeros(1).storage, [], -1)
    replay.apply([wire.SHOW, 0, None, [-1, 0, shape, [0] * len(shape)]], b"", log)
    assert 0 < len(log.shown[1]) < 30_000


def test_one_call_does_so_much_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay_module, "ACTS_LIMIT", 10)
    replay, log = Replay(Cluster(1), 1), LogState()
    create = [wire.CREATE, 0, None, [0], "<f4", 0]
    for _ in range(2):
        for _ in range(10):
            replay.apply(create, b"", log)
        log.catch_up([0, 0, 0])
    for _ in range(10):
        replay.apply(create, b"", log)
    with pytest.raises(DeviceError, match="more than 10 operations on the devices in one call"):
        replay.apply(create, b"", log)


@pytest.mark.parametrize(
    ("entry", "blob"),
    [
        ([wire.UPLOAD, 0, None, [2], "|b1"], b"\x01\x02"),
        ([wire.UPLOAD, 0, None, [1] * 33, "|b1"], b"\x01"),
        ([wire.CREATE, 0, None, [1] * 33, "<f4", 0], b""),
        ([wire.CREATE, 0, None, [1], "O", 0], b""),
        ([wire.CREATE, 0, None, [1], None, 0], b""),
        ([wire.SHOW, 0, None, [-1, 0, [3, 3], [1, 1]]], b""),  # shows elements twice, as no slice does
        ([wire.SHOW, [[0]], None, [-1, 0, [3]]], b""),
        ([[0], 0, None, [-1, 0, [3]]], b""),
        ([wire.COMPUTE, 0, None, "sum", [[-1, 0, [6]]], {"dtype": "O"}, None], b""),
        ([wire.COMPUTE, 0, None, "no such", [[-1, 0, [6]]], {}, None], b""),
    ],
)
def test_what_no_worker_posts_is_a_lie(entry: list[Any], blob: bytes) -> None:
    cluster = Cluster(1)
    replay = Replay(cluster, 1)
    replay.key(cluster.devices[0].zeros(6).storage, [], -1)
    with pytest.raises(wire.WireError):
        replay.apply(entry, blob, LogState())


# Traffic

RANKS, POISON = 3, 2**63 + 1
# Each rank has storages of these many elements, all of them the rank's own tag.
LENGTHS = (6, 6, 18, 2)
# Operations whose result has no bit that none of the inputs has.
KEEPING = ("copy", "bitwise_or", "maximum", "minimum", "concatenate", "take", "pad", "max", "where", "clip", "tril")

# Which of a rank's own storages a collective takes, if not the first as input and output.
TAKES: dict[str, tuple[list[int], list[int]]] = {
    "all_gather_into_tensor": ([0], [2]),
    "reduce_scatter_tensor": ([2], [0]),
    "barrier": ([], []),
    "split": ([], []),
}


def tag(rank: int) -> int:
    return 2**8 << rank


def owned(rank: int) -> list[int]:
    return [-1 - rank * len(LENGTHS) - number for number in range(len(LENGTHS))]


@cache
@st.composite
def tagged_references(draw: Any, rank: int) -> list[Any]:
    """Mostly of the rank's own storages, also by new numbers, and now and then of another's."""
    if draw(st.integers(0, 4)) == 0:
        return [draw(st.integers(-12, 4)), 0, [draw(among(1, 2, 6))]]
    number = draw(among(0, 0, 0, 1, 1, 2, 2, 3))
    kind = draw(among(*["whole"] * 4, "part", "twisted"))
    if kind == "whole":
        return [owned(rank)[number], 0, [LENGTHS[number]]]
    if kind == "part":
        return [owned(rank)[number], draw(st.integers(0, 4)), [2]]
    return [owned(rank)[number], 1, [2, 1], [-1, 3]]


def act(draw: Any, rank: int) -> list[Any]:
    kind = draw(
        among(*[wire.COMPUTE] * 4, *[wire.DOWNLOAD] * 3, wire.CREATE, wire.FREE, wire.DROP, wire.WAIT, wire.SHOW)
    )
    own = tagged_references(rank)
    if kind == wire.CREATE:
        return [kind, rank, None, [draw(among(2, 6))], "<i8", draw(among(None, 0))]
    if kind == wire.COMPUTE:
        name = draw(among(*KEEPING))
        operands = [draw(own) if draw(st.booleans()) else 0 for _ in range(draw(st.integers(1, 3)))]
        named = SUITABLE.get(name, {}) | ({"axis": 0} if name == "max" else {})
        return [kind, rank, None, name, operands, named, draw(own) if draw(st.booleans()) else None]
    if kind == wire.FREE:
        return [kind, rank, None, draw(own)[0]]
    if kind == wire.DROP:
        return [kind, draw(own)[0]]
    if kind == wire.WAIT:
        return [kind, rank, None, draw(st.integers(1, 12))]
    return [kind, rank, None, draw(own)]


COLLECTIVES: dict[str, dict[str, Any]] = {
    "all_reduce": {"op": "max"}, "broadcast": {"src": 1}, "all_gather_into_tensor": {}, "barrier": {},
    "reduce_scatter_tensor": {"op": "min"}, "split": {"color": 0}, "pair": {},
}  # fmt: skip


@st.composite
def round_of_ranks(draw: Any) -> list[list[Any]]:
    """A collective that the ranks of a group call, in any order, each with arrays as they like."""
    name = draw(among(*COLLECTIVES))
    group = draw(among(0, 0, 0, 1))
    entries = []
    asynchronous = draw(st.booleans())
    for rank in draw(st.permutations(range(RANKS))):
        inputs, outputs = TAKES.get(name, ([0], [0]))
        called, told = name, dict(COLLECTIVES[name])
        if name == "split":
            told = {"color": draw(st.integers(0, 1))}
        if name == "pair":
            if rank == 2:
                continue
            called, told = [("send", {"dst": 1}), ("recv", {"src": 0})][rank]
            inputs, outputs = [([0], []), ([], [1])][rank]
        given_inputs, given_outputs = (
            [
                draw(tagged_references(rank))
                if draw(st.integers(0, 7)) == 0
                else [owned(rank)[number], 0, [LENGTHS[number]]]
                for number in numbers
            ]
            for numbers in (inputs, outputs)
        )
        entries.append([wire.ISSUE, rank, None, group, called, given_inputs, given_outputs, told, asynchronous])
    return entries


@st.composite
def logs(draw: Any) -> list[list[Any]]:
    parts: list[list[list[Any]]] = []
    for _ in range(draw(st.integers(1, 12))):
        if draw(st.booleans()):
            parts.append(draw(round_of_ranks()))
        else:
            parts.append([act(draw, draw(st.integers(0, RANKS - 1)))])
    return list(itertools.chain(*parts))


class Traffic:
    """What may be where, by what the ledger says."""

    def __init__(self) -> None:
        self.cluster = Cluster(RANKS, capacity=2**12)
        self.replay, self.log = Replay(self.cluster, 1), LogState()
        self.may_have = [tag(rank) for rank in range(RANKS)]
        self._read = 0
        for rank, device in enumerate(self.cluster.devices):
            for key, length in zip(owned(rank), LENGTHS, strict=True):
                self.replay.key(device.array(np.full(length, tag(rank))).storage, [], key)
        self.news()

    def news(self) -> list[Any]:
        """The events since the last look."""
        events = self.cluster.machine.ledger.events
        new = events[self._read :]
        self._read = len(events)
        return new

    def storages(self) -> Iterator[tuple[Storage, Any]]:
        for storage in self.replay.storages.values():
            if storage.data is not None:
                yield storage, storage.data

    def check(self, rank: int, elements: bytes) -> None:
        tags = int(np.bitwise_or.reduce(np.frombuffer(elements, "uint64"), initial=0)) & ~POISON
        assert not tags & ~self.may_have[rank], "elements of another rank without an event"

    def follow(self, entry: list[Any]) -> bool:
        """Do an entry and check what it moved. Returns whether there can be another."""
        before = {storage.number: data.tobytes() for storage, data in self.storages()}
        answer, goes_on = None, True
        try:
            answer = self.replay.apply(entry, b"", self.log)
        except DeviceError:
            pass
        except LIES:
            goes_on = False
        new = self.news()
        told: set[tuple[int, int]] = set()
        for event in new:
            if isinstance(event, Collective):
                came = 0
                for share in event.shares:
                    came |= self.may_have[share.rank] if share.sent else 0
                for share in event.shares:
                    self.may_have[share.rank] |= came if share.outputs else 0
                    told |= {(share.rank, number) for number in share.outputs}
        for storage, data in self.storages():
            self.check(storage.rank, data.tobytes())
            if data.tobytes() != before.get(storage.number, data.tobytes()):
                computed = entry[0] == wire.COMPUTE and storage.rank == entry[1]
                assert computed or (storage.rank, storage.number) in told, "a storage changed without an event"
        if answer is not None:
            copies = [event for event in new if isinstance(event, HostCopy)]
            assert [(copy.rank, copy.bytes, copy.to_host) for copy in copies] == [(entry[1], len(answer), True)]
            self.check(entry[1], answer)
        return goes_on


@times(5)
@given(logs())
def test_fuzz_bytes_move_only_by_what_the_ledger_records(log: list[list[Any]]) -> None:
    traffic = Traffic()
    for entry in log:
        if not traffic.follow(entry):
            break

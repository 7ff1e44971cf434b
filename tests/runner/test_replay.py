"""Whatever a worker posts is done again, refused as an error of the devices, or known for a lie: nothing else."""

from __future__ import annotations

import contextlib
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.devices import Cluster, DeviceError
from grader.devices.collectives import rules
from grader.devices.operations import table
from grader.runner import wire
from grader.runner.listener import Listener
from grader.runner.replay import LIES, LogState, Replay

from .fuzzing import times

CAPACITY = 2**12
DTYPES = ["<f4", "<f8", "<i8", "|b1", "O", "<U3", "nonsense"]

anything = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 70) | st.floats() | st.sampled_from(["", "axis", "sum", "<f8"]),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["axis", "op", "k"]), inner, max_size=2)
    ),
    max_leaves=8,
)
shapes = st.lists(st.integers(-1, 9) | st.just(10**9), max_size=3)
references = st.tuples(st.integers(-3, 6), st.integers(-2, 9), shapes, shapes).map(list) | st.tuples(
    st.integers(-3, 6), st.integers(-2, 9), shapes
).map(list)
ranks = st.integers(-1, 2)
wheres = st.none() | st.just(["shard.py", 3]) | anything
entries = st.one_of(
    st.tuples(st.just(wire.CREATE), ranks, wheres, shapes, st.sampled_from(DTYPES), st.sampled_from([None, 0, 7])),
    st.tuples(
        st.just(wire.COMPUTE), ranks, wheres, st.sampled_from([*table(), "nothing"]),
        st.lists(references | anything, max_size=3),
        st.dictionaries(
            st.sampled_from(["axis", "keepdims", "dtype", "indices", "widths", "value", "k", "ddof", "out"]),
            anything, max_size=3,
        ),
        st.none() | references,
    ),
    st.tuples(st.just(wire.DOWNLOAD) | st.just(wire.SHOW), ranks, wheres, references | anything),
    st.tuples(st.just(wire.UPLOAD), ranks, wheres, shapes, st.sampled_from(DTYPES)),
    st.tuples(st.just(wire.FREE), ranks, wheres, st.integers(-3, 6) | anything),
    st.tuples(st.just(wire.DROP), st.integers(-3, 6) | anything),
    st.tuples(
        st.just(wire.ISSUE), ranks, wheres, st.integers(-1, 2), st.sampled_from([*rules(), "nothing"]),
        st.lists(references, max_size=2), st.lists(references, max_size=2), anything, st.booleans(),
    ),
    st.tuples(st.just(wire.WAIT), ranks, wheres, st.integers(0, 4) | anything),
    st.tuples(st.just(wire.RETURN) | st.just(wire.RAISE), anything | st.binary(max_size=9)),
    st.lists(anything, min_size=1, max_size=9).map(tuple),
).map(list)  # fmt: skip


@times(5)
@given(st.lists(st.tuples(entries, st.binary(max_size=16)), max_size=12))
def test_any_log_is_done_refused_or_known_for_a_lie(log: list[tuple[Any, bytes]]) -> None:
    cluster = Cluster(2, capacity=CAPACITY, flops=10**5)
    replay, state = Replay(cluster, 1), LogState()
    for device in cluster.devices:
        replay.key(device.array(np.arange(6.0)).storage, [], -1 - device.rank)
    listener = Listener("shard", replay, state, lambda _: None)
    for entry, blob in log:
        with contextlib.suppress(DeviceError, *LIES):
            listener.take(entry, blob)
        for device in cluster.devices:
            assert 0 <= device.memory_allocated() <= device.max_memory_allocated() <= CAPACITY


@given(st.integers(-3, 9), st.lists(st.integers(0, 5), max_size=3), st.lists(st.integers(-4, 4), max_size=3))
def test_no_reference_shows_anything_beyond_its_storage(offset: int, shape: list[int], strides: list[int]) -> None:
    cluster = Cluster(1)
    replay = Replay(cluster, 1)
    replay.key(cluster.devices[0].array(np.arange(6.0)).storage, [], -1)
    with contextlib.suppress(wire.WireError):
        array = replay.array([-1, offset, shape, strides])
        seen = [
            array.layout.offset + sum(i * s for i, s in zip(index, strides, strict=True))
            for index in np.ndindex(*shape)
        ]
        assert len(seen) == math.prod(shape)
        assert all(0 <= element < 6 for element in seen)


def test_an_honest_failure_is_told_by_the_worker_and_a_hidden_one_is_not_believed() -> None:
    cluster = Cluster(1, capacity=CAPACITY)
    replay = Replay(cluster, 1)
    too_large = [wire.CREATE, 0, None, [10**6], "<f8", 0]
    honest = Listener("shard", replay, LogState(), lambda _: None)
    honest.take(too_large, b"")
    trouble = {
        "kind": "raised",
        "text": "t",
        "type": "OutOfMemoryError",
        "bases": [],
        "rank": 0,
        "where": None,
        "rows": [],
    }
    honest.take([wire.RAISE, trouble], b"")
    honest.take([wire.END, 1, 0, 0], b"")
    assert (honest.over, honest.outcome.type) == (True, "OutOfMemoryError")
    lying = Listener("shard", replay, LogState(), lambda _: None)
    lying.take(too_large, b"")
    with pytest.raises(DeviceError, match="8,000,000 bytes"):
        lying.take([wire.RETURN, wire.pack(None)], b"")

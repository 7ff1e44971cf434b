"""A worker that sends anything at all, in any portions, and then leaves or stays: its call ends, as the learner's."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.authoring.trouble import StudentError
from grader.devices import Cluster, DeviceArray
from grader.limits import Limits
from grader.runner import wire, zygote
from grader.runner.handle import Setup
from grader.runner.remote import Link

from .fuzzing import as_stream, broken, honest_log, packed

STREAM = as_stream(honest_log())
SETUP = Setup({}, {"shard": "shard.py"}, {}, (), Limits(seconds=0.05, wall_seconds=0.1))


class FakeZygote:
    """Gives each worker that is asked for a thread: it greets, takes a call, and sends what it was told to."""

    def __init__(self) -> None:
        self.control, self._end = socket.socketpair()
        self.portions: Sequence[bytes] = ()
        self.leaves = True
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def close(self) -> None:
        self.control.close()
        self._thread.join()
        self._end.close()

    def _serve(self) -> None:
        while True:
            message, descriptors, _, _ = socket.recv_fds(self._end, 2**16, zygote.DESCRIPTORS)
            if not message:
                return
            connection, output, trace, monitor = descriptors
            for descriptor in (output, trace):
                os.close(descriptor)
            with socket.socket(fileno=connection) as worker, socket.socket(fileno=monitor) as watcher:
                with contextlib.suppress(OSError):
                    self._work(worker)
                if self.leaves:
                    worker.close()
                self._watch(watcher)

    def _work(self, worker: socket.socket) -> None:
        wire.send(worker, [["ready", [], []]])
        frames = wire.Frames()
        wire.receive(worker, frames)
        if wire.receive(worker, frames) is None:
            return
        for portion in self.portions:
            worker.sendall(portion)

    def _watch(self, watcher: socket.socket) -> None:
        while order := watcher.recv(1):
            said = {"cpu": 0.01} if order == zygote.CPU else {"exit": 1}
            with contextlib.suppress(OSError):
                watcher.sendall(json.dumps(said).encode())
            if order in (zygote.KILL, zygote.END):
                return


@pytest.fixture(scope="module")
def fake() -> Iterator[FakeZygote]:
    with contextlib.closing(FakeZygote()) as fake:
        yield fake


def call(fake: FakeZygote, stream: bytes, cuts: Sequence[int], leaves: bool) -> list[object]:
    edges = [0, *sorted(cut % (len(stream) + 1) for cut in cuts), len(stream)]
    fake.portions = [stream[start:end] for start, end in pairwise(edges)]
    fake.leaves = leaves
    cluster = Cluster(2, capacity=2**14, flops=10**6)
    with contextlib.closing(Link(fake.control, SETUP, {}, lambda: None)) as link:
        return link.run("shard", cluster, [((), {})] * 2)


def test_an_honest_stream_is_an_answer_however_it_is_cut(fake: FakeZygote) -> None:
    log = honest_log()[:-2]
    results = [[np.ones(1).nbytes, (1, {})], "x"]
    log += [([wire.RETURN, wire.pack(wire.encode(results, list))], b""), ([wire.END, 0, 0, 0], b"")]
    assert call(fake, as_stream(log), range(0, 3000, 7), leaves=False) == results


streams = st.one_of(
    broken(STREAM),
    st.integers(0, len(STREAM)).map(lambda end: STREAM[:end]),
    st.binary(max_size=200),
    packed.map(lambda header: wire.LENGTHS.pack(len(header), 0) + header),
    st.just(wire.LENGTHS.pack(1, 0) + b"\x90").map(lambda frame: frame * 2000),
    st.just(wire.LENGTHS.pack(wire.HEADER_LIMIT, wire.BLOB_LIMIT) + b"\x90" * 2000),
)


@given(streams, st.lists(st.integers(0, 5000), max_size=30), st.booleans())
def test_fuzz_a_connection_ends_with_an_answer_or_an_error_of_the_learner(
    fake: FakeZygote, stream: bytes, cuts: list[int], leaves: bool
) -> None:
    with contextlib.suppress(StudentError):
        results = call(fake, stream, cuts, leaves)
        assert all(type(each) in (DeviceArray, wire.Opaque, int, str, list, tuple, dict) for each in results)

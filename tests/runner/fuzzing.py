"""What a worker may send, as Hypothesis draws it: msgpack with all that is odd, and logs of honest ranks, broken."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from grader.devices import Cluster, Group
from grader.runner import wire
from grader.runner.worker import Log, PostingBack, reference


def times(factor: int) -> Callable[[Any], Any]:
    """Settings for a test that is quick enough for ``factor`` times the profile's examples."""
    return settings(max_examples=factor * settings().max_examples)


# Msgpack by its grammar

ARRAY, MAP, STRING, BYTES = ({0xDC: ">H", 0xDD: ">I"}, {0xDE: ">H", 0xDF: ">I"}, {0xD9: ">B", 0xDA: ">H", 0xDB: ">I"},
                             {0xC4: ">B", 0xC5: ">H", 0xC6: ">I"})  # fmt: skip
NUMBERS = {0xCA: 4, 0xCB: 8, 0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8, 0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8}
FIXED_EXTENSIONS = {1: 0xD4, 2: 0xD5, 4: 0xD6, 8: 0xD7, 16: 0xD8}
EXTREMES = [
    bytes(8),
    b"\xff" * 8,
    b"\x80" + bytes(7),
    b"\x7f" + b"\xff" * 7,
    b"\x7f\xf8" + bytes(6),
    b"\x1f" + b"\xff" * 7,
]


@st.composite
def counted(draw: Any, forms: dict[int, str], content: bytes, count: int) -> bytes:
    """Content behind its count, which may be wrong."""
    prefix = draw(st.sampled_from(sorted(forms)))
    said = draw(st.sampled_from([count] * 12 + [0, count + 1, 2**16 - 1, 2**31, 2**32 - 1]))
    largest = 256 ** struct.calcsize(forms[prefix]) - 1
    return bytes([prefix]) + struct.pack(forms[prefix], min(said, largest)) + content


@st.composite
def extension(draw: Any, content: bytes) -> bytes:
    code = draw(st.sampled_from([*range(1, 8)] * 3 + [-1, -128, 0, 8, 127]))
    fixed = FIXED_EXTENSIONS.get(len(content))
    if fixed is not None and draw(st.booleans()):
        return struct.pack(">Bb", fixed, code) + content
    return struct.pack(">BIb", 0xC9, len(content), code) + content


def joined(parts: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    whole = b"".join(parts)
    arrays = counted(ARRAY, whole, len(parts)) | (st.just(bytes([0x90 + len(parts)]) + whole))
    maps = counted(MAP, whole, len(parts) // 2) | st.just(bytes([0x80 + len(parts) // 2]) + whole)
    return arrays | maps | extension(whole)


texts = st.text(max_size=4).map(str.encode) | st.sampled_from(
    [b"\xed\xa0\x80", b"\xff", b"\xc3", b"-5", b"--5", b"9" * 40, b"\xd9\xff" + b"x" * 255]
)
scalars = st.one_of(
    st.sampled_from([b"\xc0", b"\xc2", b"\xc3", b"\xc1", b"\x00", b"\xff", b"\x90", b"\x80", b"\xa0"]),
    st.sampled_from(sorted(NUMBERS)).flatmap(
        lambda prefix: (st.sampled_from(EXTREMES) | st.binary(min_size=8, max_size=8)).map(
            lambda content: bytes([prefix]) + content[: NUMBERS[prefix]]
        )
    ),
    texts.flatmap(lambda text: counted(STRING, text, len(text)) | counted(BYTES, text, len(text)) | extension(text)),
)
packed = st.recursive(scalars, lambda inner: st.lists(inner, max_size=6).flatmap(joined), max_leaves=12)


# An honest worker's log


def honest_log() -> list[tuple[list[Any], bytes]]:
    """The entries of a run on two ranks, with their blobs, as the worker's own code posts them."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        log = Log(theirs)
        cluster = Cluster(2, back=PostingBack(log))
        results = cluster.run(_step, cluster.world)
        log.post([wire.DOWNLOAD, 0, None, reference(results[0])])
        log.post(
            [wire.RETURN, wire.pack(wire.encode([results, (1, {"a": 2.5, 3: None}), 2**70, "x", object()], reference))]
        )
        log.post([wire.END, *cluster.machine.back.counts()])
        log.flush()
        stream = ours.recv(2**20)
    return [(entry, blob) for header, blob in wire.Frames().take(stream) for entry in wire.unpack(header)]


def _step(group: Group) -> Any:
    device = group.device
    x = device.array(np.arange(6, dtype="float32").reshape(2, 3) + group.rank)
    y = x.T @ x - np.float32(2) + x[::-1, 1:].sum(axis=np.int64(0), keepdims=True).sum()
    whole, piece = device.empty(18), device.zeros(9)
    work = group.all_gather_into_tensor(whole, y.reshape(-1), async_op=True)
    work.wait()
    group.reduce_scatter_tensor(piece, whole, op="avg")
    half = group.split(group.rank)
    half.all_reduce(piece, op="max")
    if group.rank:
        group.send(piece, dst=0)
    else:
        group.recv(piece, src=1)
    group.broadcast(x, src=1)
    taken = np.pad(np.take(x, [1, 0, 1], axis=0), ((0, 1), (1, 0)), constant_values=3)
    y[1:, ::2] = np.where(y[1:, ::2] > 1, 0.5, y[1:, ::2])
    str(taken.astype("int16").std(axis=[np.int8(0), 1], ddof=np.float32(1)))
    whole.free()
    group.barrier()
    return taken.copy() if group.rank else piece[2:]


def as_stream(log: Sequence[tuple[list[Any], bytes]]) -> bytes:
    """A log as frames of one entry each."""
    frames = ((wire.pack([entry]), blob) for entry, blob in log)
    return b"".join(wire.LENGTHS.pack(len(header), len(blob)) + header + blob for header, blob in frames)


@st.composite
def broken(draw: Any, stream: bytes) -> bytes:
    """A stream with some of its bytes changed, cut out, doubled or put in."""
    changed = bytearray(stream)
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(changed)))
        end = start + draw(st.sampled_from([0, 1, 1, 1, 4, 8, 60]))
        new = draw(st.binary(min_size=1, max_size=4) | packed | st.just(bytes(changed[start : end + 9])) | st.just(b""))
        changed[start:end] = new
    return bytes(changed)

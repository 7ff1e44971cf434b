"""What a worker may send, as Hypothesis draws it: msgpack with all that is odd, and logs of honest ranks, broken."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from grader.devices import Cluster, Group
from grader.runner import wire
from grader.runner.worker import Log, PostingBack, reference


@cache
def among(*values: Any) -> st.SearchStrategy[Any]:
    """One of these; made once, for Hypothesis looks through a strategy when it is first drawn from."""
    return st.sampled_from(values)


def times(factor: int) -> Callable[[Any], Any]:
    """Settings for a test that is quick enough for ``factor`` times the profile's examples."""
    return settings(max_examples=factor * settings().max_examples)


# Msgpack by its grammar

ARRAY, MAP, STRING, BYTES = map(
    st.sampled_from,
    (
        [(0xDC, ">H"), (0xDD, ">I")],
        [(0xDE, ">H"), (0xDF, ">I")],
        [(0xD9, ">B"), (0xDA, ">H"), (0xDB, ">I")],
        [(0xC4, ">B"), (0xC5, ">H"), (0xC6, ">I")],
    ),
)
NUMBERS = st.sampled_from(
    [(0xCA, 4), (0xCB, 8), (0xCC, 1), (0xCD, 2), (0xCE, 4), (0xCF, 8), (0xD0, 1), (0xD1, 2), (0xD2, 4), (0xD3, 8)]
)
FIXED_EXTENSIONS = {1: 0xD4, 2: 0xD5, 4: 0xD6, 8: 0xD7, 16: 0xD8}
CODES = st.sampled_from([*range(1, 8)] * 3 + [-1, -128, 0, 8, 127])
# What a count is multiplied by, and what is added to it: mostly it is right.
CLAIMS = st.sampled_from([(1, 0)] * 12 + [(0, 0), (1, 1), (0, 2**16 - 1), (0, 2**31), (0, 2**32 - 1)])
EXTREMES = [
    bytes(8),
    b"\xff" * 8,
    b"\x80" + bytes(7),
    b"\x7f" + b"\xff" * 7,
    b"\x7f\xf8" + bytes(6),
    b"\x1f" + b"\xff" * 7,
]
DIGITS = st.sampled_from(EXTREMES) | st.binary(min_size=8, max_size=8)
TEXTS = st.text(max_size=4).map(str.encode) | st.sampled_from(
    [b"\xed\xa0\x80", b"\xff", b"\xc3", b"-5", b"--5", b"9" * 40, b"\xd9\xff" + b"x" * 255]
)
CONTAINERS = st.sampled_from(["array", "short array", "map", "short map", "extension"])
TEXT_FORMS = st.sampled_from([STRING, BYTES, None])


def counted(draw: Any, forms: st.SearchStrategy[tuple[int, str]], content: bytes, count: int) -> bytes:
    """Content behind its count, which may be wrong."""
    (prefix, form), (factor, more) = draw(forms), draw(CLAIMS)
    largest = 256 ** struct.calcsize(form) - 1
    return bytes([prefix]) + struct.pack(form, min(factor * count + more, largest)) + content


def extension(draw: Any, content: bytes) -> bytes:
    code = draw(CODES)
    fixed = FIXED_EXTENSIONS.get(len(content))
    if fixed is not None and draw(st.booleans()):
        return struct.pack(">Bb", fixed, code) + content
    return struct.pack(">BIb", 0xC9, len(content), code) + content


@st.composite
def numbers(draw: Any) -> bytes:
    prefix, size = draw(NUMBERS)
    return bytes([prefix]) + bytes(draw(DIGITS)[:size])


@st.composite
def texts(draw: Any) -> bytes:
    text, forms = draw(TEXTS), draw(TEXT_FORMS)
    return extension(draw, text) if forms is None else counted(draw, forms, text, len(text))


@st.composite
def containers(draw: Any, contents: st.SearchStrategy[list[bytes]]) -> bytes:
    parts = draw(contents)
    whole, count = b"".join(parts), len(parts)
    match draw(CONTAINERS):
        case "array":
            return counted(draw, ARRAY, whole, count)
        case "short array":
            return bytes([0x90 + count]) + whole
        case "map":
            return counted(draw, MAP, whole, count // 2)
        case "short map":
            return bytes([0x80 + count // 2]) + whole
    return extension(draw, whole)


singles = st.sampled_from([b"\xc0", b"\xc2", b"\xc3", b"\xc1", b"\x00", b"\xff", b"\x90", b"\x80", b"\xa0"])
packed = st.recursive(
    singles | numbers() | texts(), lambda inner: containers(st.lists(inner, max_size=6)), max_leaves=12
)


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


CUT = st.sampled_from([0, 1, 1, 1, 4, 8, 60])
# None is once more what was there.
PUT = st.binary(min_size=1, max_size=4) | packed | st.none() | st.just(b"")


@st.composite
def broken(draw: Any, stream: bytes) -> bytes:
    """A stream with some of its bytes changed, cut out, doubled or put in."""
    changed = bytearray(stream)
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(changed)))
        end = start + draw(CUT)
        put = draw(PUT)
        changed[start:end] = changed[start : end + 9] if put is None else put
    return bytes(changed)

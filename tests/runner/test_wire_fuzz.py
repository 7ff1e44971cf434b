"""Whatever bytes a worker sends: plain data within its bounds, or a WireError.

``pytest tests/runner --hypothesis-profile=long -k fuzz`` sends some hundred thousand of them.
"""

from __future__ import annotations

import contextlib
import struct
import tracemalloc
from collections.abc import Callable
from typing import Any

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.authoring.signatures import Signature
from grader.authoring.trouble import StudentError, Trouble, student_error
from grader.devices import Cluster, DeviceArray, DeviceError
from grader.runner import wire
from grader.runner.listener import Listener
from grader.runner.replay import LIES, LogState, Replay
from grader.runner.wire import DEPTH_LIMIT, HEADER_LIMIT, MEMORY_FACTOR, Decoder, Frames, Opaque, WireError

from .fuzzing import as_stream, broken, honest_log, packed, times

COPIES = 5000
PLAIN = (type(None), bool, int, float, str)
LOG = honest_log()
STREAM = as_stream(LOG)


def check_plain(value: Any, also: tuple[type, ...], depth: int = 0) -> None:
    """Of these types exactly, all the way down, and not too far."""
    assert depth <= DEPTH_LIMIT + 1
    if type(value) in (list, tuple):
        for each in value:
            check_plain(each, also, depth + 1)
    elif type(value) is dict:
        for key, each in value.items():
            assert type(key) in PLAIN
            assert type(key) is not int or -(2**63) <= key < 2**63
            check_plain(each, also, depth + 1)
    else:
        assert type(value) in PLAIN + also
        assert type(value) is not int or len(str(value)) <= wire.INTEGER_DIGITS + 1
        assert type(value) is not Opaque or len(value.type_name) <= wire.NAME_LIMIT


def check_received(data: bytes) -> None:
    with contextlib.suppress(WireError):
        check_plain(wire.decode(data, Decoder()), (Opaque,))
    with contextlib.suppress(WireError):
        value = wire.unpack(data)
        with contextlib.suppress(WireError):
            trouble = wire.trouble_from_plain(value, "shard")
            assert isinstance(student_error(trouble), StudentError)
            str(trouble).encode()


@times(10)
@given(st.binary(max_size=300))
def test_fuzz_any_bytes(data: bytes) -> None:
    check_received(data)


@times(5)
@given(packed)
def test_fuzz_any_msgpack(data: bytes) -> None:
    check_received(data)


HONEST = {"kind": "raised", "text": "no", "type": "ValueError", "bases": ["ValueError"], "rank": 1,
          "where": {"file": "shard.py", "line": 3}, "rows": []}  # fmt: skip
odd_text = st.text() | st.sampled_from(["a\ud800", "DeviceError", "MismatchError", "Sequence", "__doc__"])
odd_numbers = st.none() | st.integers() | st.just("3")
odd_places = st.none() | st.fixed_dictionaries({"file": odd_text, "line": odd_numbers})
odd_rows = st.fixed_dictionaries(
    {"operation": odd_text, "rank": odd_numbers, "place": odd_places},
    optional={"shape": st.lists(st.integers()), "dtype": odd_text | st.booleans()},
)
troubles = st.fixed_dictionaries(
    {},
    optional={
        "kind": st.sampled_from(["raised", "import", "died"]),
        "text": odd_text | odd_numbers,
        "type": odd_text,
        "bases": st.lists(odd_text | st.none()),
        "rank": odd_numbers,
        "where": odd_places | odd_numbers,
        "rows": st.lists(odd_rows, max_size=3),
    },
).map(lambda odd: HONEST | odd)


@times(3)
@given(troubles)
def test_fuzz_a_trouble_is_text_to_show(claimed: dict[str, Any]) -> None:
    with contextlib.suppress(WireError):
        trouble = wire.trouble_from_plain(claimed, "shard")
        assert type(trouble) is Trouble
        assert isinstance(student_error(trouble), StudentError)
        places = [each for each in (trouble.where, *(row.place for row in trouble.rows)) if each]
        assert all(place.line >= 1 for place in places)
        shown = [
            trouble.text,
            trouble.type,
            *(place.file for place in places),
            *(row.operation for row in trouble.rows),
        ]
        "".join(shown).encode()


def test_a_trouble_with_a_row_of_too_many_dimensions_is_none() -> None:
    rows = [{"rank": 0, "operation": "all_reduce", "shape": [1] * 33, "dtype": None, "place": None}]
    with pytest.raises(WireError):
        wire.trouble_from_plain(HONEST | {"rows": rows}, "shard")


def test_the_name_of_a_type_is_short() -> None:
    arrived = wire.decode(wire.pack(msgpack.ExtType(5, wire.pack("\ud800" + "x" * 1000))), Decoder())
    assert arrived == Opaque("?" + "x" * (wire.NAME_LIMIT - 1))


# A connection


def take(stream: bytes, step: int) -> Any:
    """What a listener makes of a stream that comes ``step`` bytes at a time."""
    cluster = Cluster(2, capacity=2**14, flops=10**6)
    listener = Listener("shard", Replay(cluster, 1), LogState(), lambda _: None)
    frames = Frames()
    for start in range(0, len(stream), step):
        for header, blob in frames.take(stream[start : start + step]):
            for entry in wire.unpack(header):
                listener.take(entry, blob)
    return listener.outcome if listener.over else None


def test_an_honest_log_is_done_again() -> None:
    outcome = take(STREAM, 7)
    results, plain, long, text, other = outcome
    assert [type(each) for each in results] == [DeviceArray, DeviceArray]
    assert (plain, long, text, type(other)) == ((1, {"a": 2.5, 3: None}), 2**70, "x", Opaque)


@times(5)
@given(broken(STREAM), st.sampled_from([1, 9, 2**16]))
def test_fuzz_a_broken_log(stream: bytes, step: int) -> None:
    with contextlib.suppress(DeviceError, *LIES):
        outcome = take(stream, step)
        if not isinstance(outcome, Trouble):
            check_plain(outcome, (Opaque, DeviceArray))
            Signature("shard", (), "int").wrong_return(outcome)


@times(3)
@given(st.data())
def test_fuzz_a_log_with_an_entry_of_any_msgpack(data: st.DataObject) -> None:
    """One field of an entry of an honest log is something else."""
    position = data.draw(st.integers(0, len(LOG) - 1))
    entry, blob = LOG[position]
    fields = [msgpack.packb(field) for field in entry]
    fields[data.draw(st.integers(0, len(fields) - 1))] = data.draw(packed)
    header = b"\x91" + bytes([0x90 + len(fields)]) + b"".join(fields)
    before, after = as_stream(LOG[:position]), as_stream(LOG[position + 1 :])
    with contextlib.suppress(DeviceError, *LIES):
        take(before + wire.LENGTHS.pack(len(header), len(blob)) + header + blob + after, 2**16)


# Bounds


def peak(act: Callable[[], Any]) -> int:
    """The most bytes that Python and NumPy had allocated at once meanwhile."""
    tracemalloc.start()
    try:
        with contextlib.suppress(WireError):
            act()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def nested_extensions(code: int) -> bytes:
    data = b"\x90"
    while len(data) < 1000:
        data = struct.pack(">BBIb", 0x91, 0xC9, len(data), code) + data
    return data


def full(pattern: bytes) -> bytes:
    """An array of many copies of a value."""
    return b"\xdd" + struct.pack(">I", COPIES) + pattern * COPIES


def pairs() -> bytes:
    content = b"".join(b"\x92\xce" + struct.pack(">I", 2**20 + key) + b"\xc0" for key in range(COPIES))
    content = b"\xdd" + struct.pack(">I", COPIES) + content
    return struct.pack(">BIb", 0xC9, len(content), 7) + content


def in_extensions(data: bytes, code: int) -> bytes:
    """The data behind as many extensions as there may be around it, each of which copies all the rest."""
    for _ in range(DEPTH_LIMIT):
        data = struct.pack(">BBIb", 0x91, 0xC9, len(data), code) + data
    return data


PATTERNS = [b"\x90", b"\x80", b"\x81\xa0\xc0", b"\x92\xc0\xc0", b"\xa2ab", b"\xcb" + b"\x01" * 8, b"\xd6\xff\0\0\0\1"]
PATTERNS += [b"\xc7\x00\x05", b"\xd4\x01\x90", b"\xd4\x02\x35", b"\xd4\x05\xa0", b"\xd4\x07\x90", b"\x90" * 7]


@pytest.mark.parametrize(
    "data",
    [*map(full, PATTERNS), pairs(), *(in_extensions(each, 1) for each in (full(b"\x90"), full(PATTERNS[-2]), pairs()))],
)
def test_a_value_takes_no_more_memory_than_its_size_allows(data: bytes) -> None:
    assert peak(lambda: wire.unpack(data)) <= MEMORY_FACTOR * len(data)
    assert peak(lambda: wire.decode(data, Decoder())) <= MEMORY_FACTOR * len(data)


@pytest.mark.parametrize("data", [
    b"\xdd\x00\x0f\xff\x00" * 1000 + b"\xc0" * (HEADER_LIMIT - 5000),
    b"\xdc\xff\x00" * 1000 + bytes(2**16),
    b"\xdf\x00\x07\xff\x00\xa0" * 1000 + b"\xc0" * (HEADER_LIMIT - 6000),
])  # fmt: skip
def test_a_length_that_is_only_claimed_takes_no_more_memory_than_a_header_may(data: bytes) -> None:
    assert peak(lambda: wire.unpack(data)) <= MEMORY_FACTOR * HEADER_LIMIT


@pytest.mark.parametrize(
    "data", [b"\x91" * 1000 + b"\xc0", nested_extensions(1), nested_extensions(7), nested_extensions(6)]
)
def test_depth_is_bounded_however_it_is_made(data: bytes) -> None:
    with pytest.raises(WireError):
        wire.decode(data, Decoder())


def test_a_value_of_the_greatest_depth_crosses_both_ways() -> None:
    value: Any = 1
    for level in range(DEPTH_LIMIT - 3):
        value = ({"a": value}, (value,), [value])[level % 3]
    assert wire.decode(wire.pack(wire.encode(value, list)), Decoder()) == value
    assert wire.decode_call(wire.encode_call(((value,), {"x": value}), list, frozenset()), Decoder())[1]["x"] == value


def test_a_large_frame_is_kept_twice_at_most() -> None:
    size = 2**24
    frames = Frames()
    frames.feed(wire.LENGTHS.pack(1, size) + b"\xc0")

    def receive() -> None:
        while frames.next() is None:
            frames.feed(bytes(2**16))

    assert peak(receive) < 2.5 * size


@pytest.mark.parametrize(
    "content",
    [
        [[2**61 - 1 + 2**64, 1]],  # a longer integer: as many of one hash as one likes
        [[1, "a"], [True, "b"]],
        [["a", 1], ["a", 2]],
        [[[1], 2]],
        [[b"a", 2]],
        [["a", 1, 2]],
        ["ab"],
    ],
)
def test_pairs_that_no_dict_has_are_refused(content: list[Any]) -> None:
    def extended(key: Any) -> Any:
        return msgpack.ExtType(2, str(key).encode()) if type(key) is int and key >= 2**64 else key

    made = [[extended(pair[0]), *pair[1:]] if type(pair) is list else pair for pair in content]
    with pytest.raises(WireError):
        wire.decode(msgpack.packb(msgpack.ExtType(7, msgpack.packb(made))), Decoder())


@pytest.mark.parametrize("key", [(0, 1), 2**70, frozenset(), b"a"])
def test_a_dict_with_other_keys_arrives_as_what_it_is(key: Any) -> None:
    arrived = wire.decode(wire.pack(wire.encode({"a": 1, key: 2}, list)), Decoder())
    assert arrived == Opaque(f"dict with a key of type {type(key).__name__}")


@pytest.mark.parametrize("data", [b"\xc4\x01a", b"\x81\xa1a\x01", b"\x91\xc4\x00"])
def test_bytes_and_bare_maps_are_no_values(data: bytes) -> None:
    with pytest.raises(WireError):
        wire.decode(data, Decoder())


def test_a_timestamp_is_a_number() -> None:
    assert wire.unpack(b"\xd6\xff\0\0\0\1") == 1.0
    assert type(wire.unpack(b"\xd6\xff\0\0\0\1")) is float

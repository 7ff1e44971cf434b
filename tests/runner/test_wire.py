"""The wire takes plain data exactly as it is, and nothing else."""

from __future__ import annotations

import contextlib
import pickle
from collections import OrderedDict
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.runner import wire
from grader.runner.wire import Decoder, Frames, Opaque, WireError


def crossed(value: Any) -> Any:
    return wire.decode(wire.pack(wire.encode(value, list)), Decoder())


keys = st.one_of(st.none(), st.integers(), st.text())
plain = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text()),
    lambda inner: st.one_of(st.lists(inner), st.lists(inner).map(tuple), st.dictionaries(keys, inner, max_size=4)),
)


@given(plain)
def test_plain_data_arrives_as_it_was(value: Any) -> None:
    arrived = crossed(value)
    assert arrived == value
    assert repr(arrived) == repr(value)


class Liar(int):
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = int.__hash__


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (Liar(3), "Liar"),
        (OrderedDict(), "collections.OrderedDict"),
        (np.float64(1), "numpy.float64"),
        (np.zeros(2), "numpy.ndarray"),
        (object(), "object"),
        (print, "builtin_function_or_method"),
        ({1, 2}, "set"),
        (10**2000, "int of more than 1000 digits"),
        ("x" * 200_000, "str of 200,000 characters"),
    ],
)
def test_anything_else_arrives_as_the_name_of_its_type(value: Any, name: str) -> None:
    arrived = crossed([value])[0]
    assert type(arrived) is Opaque
    assert name in arrived.type_name


def test_a_value_that_holds_itself_is_cut() -> None:
    endless: list[Any] = []
    endless.append(endless)
    arrived = crossed(endless)
    for _ in range(wire.DEPTH_LIMIT - 1):
        arrived = arrived[0]
    assert "nested" in str(arrived)


@given(st.binary(max_size=300))
def test_any_bytes_are_a_value_or_a_wire_error(data: bytes) -> None:
    with contextlib.suppress(WireError):
        wire.decode(data, Decoder())


@given(plain, st.data())
def test_a_changed_byte_is_a_value_or_a_wire_error(value: Any, data: st.DataObject) -> None:
    packed = bytearray(wire.pack(wire.encode(value, list)))
    position = data.draw(st.integers(0, len(packed) - 1))
    packed[position] = data.draw(st.integers(0, 255))
    with contextlib.suppress(WireError):
        wire.decode(bytes(packed), Decoder())


def test_a_pickle_is_no_value() -> None:
    with pytest.raises(WireError):
        wire.decode(pickle.dumps(print), Decoder())


@given(st.lists(st.tuples(st.binary(max_size=50), st.binary(max_size=50))), st.integers(1, 20))
def test_frames_come_out_as_they_went_in_however_they_are_cut(parts: list[tuple[bytes, bytes]], step: int) -> None:
    stream = b"".join(wire.LENGTHS.pack(len(header), len(blob)) + header + blob for header, blob in parts)
    frames, found = Frames(), []
    for start in range(0, len(stream), step):
        frames.feed(stream[start : start + step])
        while (frame := frames.next()) is not None:
            found.append(frame)
    assert found == parts


@pytest.mark.parametrize("lengths", [(wire.HEADER_LIMIT + 1, 0), (1, wire.BLOB_LIMIT + 1), (2**32 - 1, 2**32 - 1)])
def test_a_frame_beyond_its_cap_is_refused_before_it_is_kept(lengths: tuple[int, int]) -> None:
    frames = Frames()
    frames.feed(wire.LENGTHS.pack(*lengths))
    with pytest.raises(WireError):
        frames.next()

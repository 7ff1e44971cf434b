"""The wire between the trusted side and a worker: frames of plain data, and nothing else.

A frame is two lengths, a msgpack header and a blob of raw bytes. The header carries None, bool, int, float, str,
list, tuple and dict by exact type; arrays as references, groups by number, values of the course's given files by
name and fields. Anything else crosses as the name of its type. Nothing is ever unpickled.

Of a header, which has at most HEADER_LIMIT bytes, come values that nest at most DEPTH_LIMIT deep and take at most
MEMORY_FACTOR times that limit.
"""

from __future__ import annotations

import contextlib
import dataclasses
import socket
import struct
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NoReturn

import msgpack

from grader.authoring.trouble import Trouble
from grader.devices import DeviceArray, Group
from grader.devices.cluster import Arguments
from grader.devices.layout import MOST_DIMENSIONS
from grader.results import Place, RankRow

HEADER_LIMIT: Final = 2**20
BLOB_LIMIT: Final = 64 * 2**20
DEPTH_LIMIT: Final = 40
MEMORY_FACTOR: Final = 150
INTEGER_DIGITS: Final = 1000
TEXT_LIMIT: Final = 100_000
NAME_LIMIT: Final = 200
LOOK_SECONDS: Final = 30e-6
LENGTHS: Final = struct.Struct("<II")

# What a worker's log entry is, in its first place.
CREATE, COMPUTE, UPLOAD, DOWNLOAD, FREE, DROP, ISSUE, WAIT, SHOW, RETURN, RAISE, END = range(12)

_TUPLE, _INTEGER, _ARRAY, _GROUP, _OPAQUE, _GIVEN, _DICT = range(1, 8)


class WireError(Exception):
    """Bytes that are no frame of this wire, or a value that does not fit into one."""


@dataclass(frozen=True, slots=True)
class Opaque:
    """A value that does not cross the wire: all that is known is the name of its type."""

    type_name: str


# Frames


def send(connection: socket.socket, header: Any, blob: bytes | memoryview = b"") -> None:
    """Send one frame."""
    packed = pack(header)
    if len(packed) > HEADER_LIMIT:
        raise WireError(f"a value of {len(packed):,} bytes; {HEADER_LIMIT:,} may cross at once")
    if len(blob) > BLOB_LIMIT:
        raise WireError(f"an array of {len(blob):,} bytes; {BLOB_LIMIT:,} may cross at once")
    connection.sendall(LENGTHS.pack(len(packed), len(blob)) + packed)
    if len(blob):
        connection.sendall(blob)


class Frames:
    """Cuts a stream of bytes into frames. Sizes are checked before anything is kept."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    @property
    def begun(self) -> bool:
        """Whether there are bytes of a frame that has not been taken."""
        return bool(self._buffer)

    def feed(self, data: bytes) -> None:
        self._buffer += data

    def take(self, data: bytes) -> list[tuple[bytes, bytes]]:
        """Feed ``data``, and return the frames that are whole now."""
        self.feed(data)
        found = []
        while (frame := self.next()) is not None:
            found.append(frame)
        return found

    def next(self) -> tuple[bytes, bytes] | None:
        """The next whole frame as header and blob, or None until more bytes come."""
        if len(self._buffer) < LENGTHS.size:
            return None
        header, blob = LENGTHS.unpack_from(self._buffer)
        if header > HEADER_LIMIT or blob > BLOB_LIMIT:
            raise WireError(f"a frame of {header:,} + {blob:,} bytes")
        end = LENGTHS.size + header + blob
        if len(self._buffer) < end:
            return None
        with memoryview(self._buffer) as view:
            frame = bytes(view[LENGTHS.size : LENGTHS.size + header]), bytes(view[LENGTHS.size + header : end])
        del self._buffer[:end]
        return frame


def receive(connection: socket.socket, frames: Frames, *, soon: bool = False) -> tuple[bytes, bytes] | None:
    """Block for the next frame; None at the end of the stream. ``soon`` is for one that is on its way."""
    while (frame := frames.next()) is None:
        data = look(connection) if soon else None
        if data is None:
            data = connection.recv(2**16)
        if not data:
            return None
        frames.feed(data)
    return frame


def look(connection: socket.socket) -> bytes | None:
    """What comes within the microseconds that it takes a process to fall asleep and wake; None if nothing does."""
    end = time.monotonic() + LOOK_SECONDS
    while time.monotonic() < end:
        with contextlib.suppress(BlockingIOError):
            return connection.recv(2**16, socket.MSG_DONTWAIT)
    return None


def marker(number: int) -> str:
    """What stands in a worker's output for the text of a shown array, whose values only the trusted side has."""
    return f"\ue000{number}\ue001"


# Plain data


def pack(value: Any) -> bytes:
    """Plain data as msgpack, by exact type."""
    packed: bytes = msgpack.packb(value, strict_types=True, unicode_errors="surrogatepass")
    return packed


def unpack(data: bytes, extension: Callable[[int, bytes], Any] | None = None) -> Any:
    """Msgpack as plain data; WireError for anything else. A timestamp, which nobody sends, is read as a float."""
    try:
        return msgpack.unpackb(data, unicode_errors="surrogatepass", timestamp=1, ext_hook=extension or _no_extension)
    except WireError:
        raise
    except Exception as error:
        raise WireError(f"not a value: {type(error).__name__}") from None


def _no_extension(code: int, data: bytes) -> NoReturn:
    raise WireError(f"extension {code} where plain data was due")


# Values


def encode(
    value: Any, array: Callable[[DeviceArray], list[Any]], given: frozenset[str] = frozenset(), depth: int = 0
) -> Any:
    """A value as plain data and extensions. ``array`` gives an array's reference; ``given`` names modules whose
    dataclasses cross by fields.

    >>> unpacked = decode(pack(encode((1, [2.5, None], {3: "x"}), array=list)), Decoder())
    >>> unpacked
    (1, [2.5, None], {3: 'x'})
    """
    kind = type(value)
    if value is None or kind is bool or kind is float:
        return value
    if kind is int:
        if -(2**63) <= value < 2**63:
            return value
        if value.bit_length() > INTEGER_DIGITS * 3:
            return _opaque(f"int of more than {INTEGER_DIGITS} digits")
        return msgpack.ExtType(_INTEGER, str(value).encode())
    if kind is str:
        if len(value) > TEXT_LIMIT:
            return _opaque(f"str of {len(value):,} characters")
        return value
    if kind is DeviceArray:
        return msgpack.ExtType(_ARRAY, pack(array(value)))
    if kind is Group:
        return msgpack.ExtType(_GROUP, pack(value.number))
    if depth >= DEPTH_LIMIT:
        return _opaque(f"{kind.__name__} nested more than {DEPTH_LIMIT} deep")
    if kind is list:
        return [encode(each, array, given, depth + 1) for each in value]
    if kind is tuple:
        return msgpack.ExtType(_TUPLE, pack([encode(each, array, given, depth + 1) for each in value]))
    if kind is dict:
        odd = next((type(key).__name__ for key in value if not _is_key(key)), None)
        if odd is not None:
            return _opaque(f"dict with a key of type {odd}")
        pairs = [[key, encode(each, array, given, depth + 1)] for key, each in value.items()]
        return msgpack.ExtType(_DICT, pack(pairs))
    if kind.__module__ in given and dataclasses.is_dataclass(value):
        fields = [encode(getattr(value, field.name), array, given, depth + 1) for field in dataclasses.fields(value)]
        return msgpack.ExtType(_GIVEN, pack([kind.__module__, kind.__name__, fields]))
    return _opaque(f"{kind.__module__}.{kind.__qualname__}" if kind.__module__ != "builtins" else kind.__qualname__)


def encode_call(call: Arguments, array: Callable[[DeviceArray], list[Any]], given: frozenset[str]) -> bytes:
    """The arguments of a call, packed: a list of those by position, and one of pairs of a name and a value.

    >>> decode_call(encode_call(((1, "x"), {"y": (2,)}), list, frozenset()), Decoder())
    ((1, 'x'), {'y': (2,)})
    """
    args, kwargs = call
    by_position = [encode(each, array, given, 3) for each in args]
    return pack([by_position, [[name, encode(each, array, given, 3)] for name, each in kwargs.items()]])


def decode_call(data: bytes, decoder: Decoder) -> Arguments:
    """The arguments of a call that the trusted side sent."""
    args, kwargs = decode(data, decoder)
    return tuple(args), dict(kwargs)


def _opaque(name: str) -> msgpack.ExtType:
    return msgpack.ExtType(_OPAQUE, pack(str(name)[:NAME_LIMIT]))


def _is_key(key: Any) -> bool:
    """Whether a dict with this key crosses. Of longer integers, any number can be found that hash alike."""
    kind = type(key)
    return key is None or kind is bool or kind is float or kind is str or (kind is int and -(2**63) <= key < 2**63)


class Decoder:
    """What references mean on the side that receives them. By itself it knows none."""

    def array(self, reference: Any) -> Any:
        raise WireError("an array where none was due")

    def group(self, number: int) -> Any:
        raise WireError("a group where none was due")

    def given(self, module: str, name: str, fields: list[Any]) -> Any:
        raise WireError("a value of a given file where none was due")


def decode(data: bytes, decoder: Decoder) -> Any:
    """A value out of an untrusted header; WireError for anything that is none."""
    return _decoded(unpack(data, msgpack.ExtType), decoder, 0)


def _decoded(plain: Any, decoder: Decoder, depth: int) -> Any:
    kind = type(plain)
    if plain is None or kind is bool or kind is int or kind is float or kind is str:
        return plain
    if kind is not list and kind is not msgpack.ExtType:
        raise WireError(f"a {kind.__name__} where a value was due")
    if depth > DEPTH_LIMIT:
        raise WireError("a value nested too deeply")
    if kind is list:
        for position, each in enumerate(plain):  # in place, so that there are not two of a large one
            plain[position] = _decoded(each, decoder, depth + 1)
        return plain
    code, content = plain
    if code == _INTEGER:
        return _integer(content)
    inner = unpack(content, msgpack.ExtType)
    if code == _GROUP and type(inner) is int:
        return decoder.group(inner)
    if code == _OPAQUE and type(inner) is str:
        return Opaque(_shown(inner, NAME_LIMIT))
    if type(inner) is list:
        if code == _ARRAY:
            return decoder.array(inner)
        if code == _TUPLE:
            return tuple(_decoded(inner, decoder, depth))
        if code == _DICT:
            return _dict(inner, decoder, depth + 1)
        if code == _GIVEN and len(inner) == 3 and type(inner[2]) is list:
            return decoder.given(str(inner[0]), str(inner[1]), _decoded(inner[2], decoder, depth))
    raise WireError(f"extension {code} with {type(inner).__name__}")


def _shown(text: str, most: int) -> str:
    """Text that can be printed anywhere: without halves of surrogate pairs, and cut."""
    return text[:most].encode("utf-8", "replace").decode()


def _integer(content: bytes) -> int:
    if len(content) > INTEGER_DIGITS or not content.removeprefix(b"-").isdigit():
        raise WireError("not an integer")
    return int(content)


def _dict(pairs: list[Any], decoder: Decoder, depth: int) -> dict[Any, Any]:
    made = {}
    for pair in pairs:
        if type(pair) is not list or len(pair) != 2 or not _is_key(pair[0]):
            raise WireError("not the pairs of a dict")
        made[pair[0]] = _decoded(pair[1], decoder, depth)
    if len(made) < len(pairs):
        raise WireError("a key twice in a dict")
    return made


# Troubles, and what else is read field by field


def integers(data: Any, most: int = HEADER_LIMIT) -> tuple[int, ...]:
    """A list of at most ``most`` integers."""
    if type(data) is not list or len(data) > most:
        raise WireError("not a list of integers")
    for each in data:
        if type(each) is not int:
            raise WireError("not a list of integers")
    return tuple(data)


def trouble_to_plain(trouble: Trouble) -> dict[str, Any]:
    """A trouble as plain data."""
    return dataclasses.asdict(trouble) | {
        "bases": list(trouble.bases),
        "rows": [dataclasses.asdict(row) | {"shape": row.shape and list(row.shape)} for row in trouble.rows],
    }


def trouble_from_plain(data: Any, function: str) -> Trouble:
    """A trouble from a worker; what it claims is text to show and nothing more."""
    checked = _Checked(data)
    kind = checked.text("kind")
    if kind not in ("raised", "import", "missing", "signature", "returned"):
        raise WireError(f"a trouble of kind {kind}")
    return Trouble(
        kind,  # type: ignore[arg-type]
        function,
        checked.text("text"),
        checked.text("type"),
        tuple(each[:100] for each in checked.list("bases")[:50] if type(each) is str),
        checked.integer("rank"),
        checked.place("where"),
        tuple(_row(each) for each in checked.list("rows")[:1024]),
    )


def _row(data: Any) -> RankRow:
    checked = _Checked(data)
    shape = checked.data.get("shape")
    if shape is not None:
        shape = integers(shape, MOST_DIMENSIONS)
    return RankRow(
        checked.integer("rank") or 0,
        checked.text("operation")[:100],
        shape,
        None if checked.data.get("dtype") is None else checked.text("dtype")[:20],
        checked.place("place"),
    )


class _Checked:
    """A mapping from a worker, each field read with its type."""

    def __init__(self, data: Any) -> None:
        if type(data) is not dict:
            raise WireError("not a mapping")
        self.data: Mapping[str, Any] = data

    def text(self, name: str) -> str:
        value = self.data.get(name)
        if type(value) is not str:
            raise WireError(f"{name} is not text")
        return _shown(value, TEXT_LIMIT)

    def integer(self, name: str) -> int | None:
        value = self.data.get(name)
        if value is not None and type(value) is not int:
            raise WireError(f"{name} is not a number")
        return value

    def list(self, name: str) -> list[Any]:
        value = self.data.get(name)
        if type(value) is not list:
            raise WireError(f"{name} is not a list")
        return value

    def place(self, name: str) -> Place | None:
        value = self.data.get(name)
        if value is None:
            return None
        inner = _Checked(value)
        return Place(inner.text("file")[:NAME_LIMIT], max(inner.integer("line") or 1, 1))

"""Zip and tar archives from strangers, read in memory: nothing is extracted, and nothing is unpacked without end."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import tarfile
import zipfile
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Protocol

from grader.runner.submission import LARGEST, Refused, read_small

MOST_MEMBERS = 20_000
MOST_UNPACKED = 2**26
LONGEST_PATH = 1024
LARGEST_DIRECTORY = 2**22
HEAD = 512

LINK = "is a link: put the file itself there"
NO_FILE = "is not a file"
ENCRYPTED = "is encrypted: pack it without a password"
DAMAGED = "is damaged or cut off: pack it and hand it in again"
TOO_MANY = f"holds more than {MOST_MEMBERS:,} files: pack only those of the exercise"
TOO_LONG = f"holds a file whose path has more than {LONGEST_PATH:,} characters: pack only the files of the exercise"
TOO_MUCH = f"unpacks to more than {MOST_UNPACKED // 2**20} MiB: pack only the files of the exercise"
ODD_METHOD = "is compressed in a way that is not read here: pack it as an ordinary zip"

_UNPACK: Mapping[bytes, Callable[[IO[bytes]], _Readable]] = {
    b"\x1f\x8b": lambda packed: gzip.GzipFile(fileobj=packed),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\0": lzma.LZMAFile,
}
_OTHERS = {b"Rar!": "RAR", b"7z\xbc\xaf": "7z", b"\x28\xb5\x2f\xfd": "Zstandard"}
_FOLDER = ("/", "\\")
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


@dataclass(frozen=True, slots=True)
class Listing:
    """What an archive holds: how often each path occurs, and the paths that lead out of it, which are never read."""

    paths: Mapping[str, int]
    outside: tuple[str, ...] = ()


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class Archive(Protocol):
    """An archive that is open. Both methods may raise Refused, with what is wrong with all of it."""

    def list(self) -> Listing: ...

    def read(self, wanted: Collection[str], largest: int = LARGEST) -> Mapping[str, bytes | Refused]:
        """Read the files at ``wanted``, the last of each path, or say why one is not taken."""
        ...


def open_archive(stream: IO[bytes]) -> Archive | None:
    """Open what ``stream`` holds, as its first bytes say; None if that is no archive, Refused if it cannot be."""
    head = stream.read(HEAD)
    stream.seek(0)
    for magic, name in _OTHERS.items():
        if head.startswith(magic):
            raise Refused(f"is a {name} archive, which is not read here: pack it as zip or tar")
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        with _parsing():
            sparing = _Sparing(stream)
            opened = zipfile.ZipFile(sparing)
        sparing.opening = False
        return _Zip(opened)
    unpack = next((unpack for magic, unpack in _UNPACK.items() if head.startswith(magic)), None)
    return _Tar(stream, unpack) if unpack is not None or _begins_tar(head) else None


@contextmanager
def _parsing() -> Iterator[None]:
    try:
        yield
    except Refused:
        raise
    except Exception:  # what the library's parsers raise when they are fed rubbish has no common class
        raise Refused(DAMAGED) from None


def clean(path: str) -> str | None:
    r"""Give the path of a file in an archive its plain form; None if it leads out.

    >>> clean("./work\\shard.py"), clean("a//b/"), clean("/etc/passwd"), clean("a/../../b")
    ('work/shard.py', 'a/b', None, None)
    """
    parts = path.replace("\\", "/").split("/")
    if ".." in parts or (parts[0] == "" and len(parts) > 1):
        return None
    return "/".join(part for part in parts if part not in ("", "."))


def _list(members: Iterator[tuple[str, bool]]) -> Listing:
    """List what is at each path, unless it is a folder."""
    count: Counter[str] = Counter()
    outside = []
    for number, (path, is_folder) in enumerate(members):
        if number == MOST_MEMBERS:
            raise Refused(TOO_MANY)
        if len(path) > LONGEST_PATH:
            raise Refused(TOO_LONG)
        if is_folder:
            continue
        plain = clean(path)
        if plain is None:
            outside.append(path)
        else:
            count[plain] += 1
    return Listing(count, tuple(outside))


class _Sparing(io.BufferedReader):
    """A file that is not read in large pieces while it is ``opening``, so that a zip's directory has a bound."""

    opening = True

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__(stream)  # type: ignore[arg-type]

    def read(self, size: int | None = -1, /) -> bytes:
        if not self.opening or (size is not None and 0 <= size <= LARGEST_DIRECTORY):
            return super().read(size)
        content = super().read(LARGEST_DIRECTORY + 1)
        if len(content) > LARGEST_DIRECTORY:
            raise Refused(TOO_MANY)
        return content


@dataclass(frozen=True, slots=True)
class _Zip:
    opened: zipfile.ZipFile

    def list(self) -> Listing:
        return _list((name, name.endswith(_FOLDER)) for name in self.opened.namelist())

    def read(self, wanted: Collection[str], largest: int = LARGEST) -> Mapping[str, bytes | Refused]:
        files = (member for member in self.opened.infolist() if not member.filename.endswith(_FOLDER))
        last = {clean(member.filename): member for member in files}
        with _parsing():
            return {path: self._read(last[path], largest) for path in wanted}

    def _read(self, member: zipfile.ZipInfo, largest: int) -> bytes | Refused:
        mode = member.external_attr >> 16
        if stat.S_ISLNK(mode):
            return Refused(LINK)
        if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
            return Refused(NO_FILE)
        if member.flag_bits & 1:
            raise Refused(ENCRYPTED)
        if member.compress_type not in _METHODS:
            raise Refused(ODD_METHOD)
        with self.opened.open(member) as stream:
            return _small(stream, largest)


@dataclass(frozen=True, slots=True)
class _Tar:
    stream: IO[bytes]
    unpack: Callable[[IO[bytes]], _Readable] | None

    def list(self) -> Listing:
        with _parsing():
            return _list((member.name, member.isdir()) for _, member in self._members())

    def read(self, wanted: Collection[str], largest: int = LARGEST) -> Mapping[str, bytes | Refused]:
        found: dict[str, bytes | Refused] = {}
        with _parsing():
            for opened, member in self._members():
                path = clean(member.name)
                if path is not None and path in wanted and not member.isdir():
                    found[path] = _read_member(opened, member, largest)
        return found

    def _members(self) -> Iterator[tuple[tarfile.TarFile, tarfile.TarInfo]]:
        self.stream.seek(0)
        unpacked: _Readable = self.stream if self.unpack is None else self.unpack(self.stream)
        with tarfile.open(fileobj=_Counted(unpacked), mode="r|") as opened:  # type: ignore[call-overload]
            yield from ((opened, member) for member in opened)


def _read_member(opened: tarfile.TarFile, member: tarfile.TarInfo, largest: int) -> bytes | Refused:
    if member.issym() or member.islnk():
        return Refused(LINK)
    stream = opened.extractfile(member) if member.isreg() else None
    return Refused(NO_FILE) if stream is None else _small(stream, largest)


def _small(stream: IO[bytes], largest: int) -> bytes | Refused:
    try:
        return read_small(stream, largest)
    except Refused as error:
        return error


class _Counted:
    """A stream that ends in Refused after as much as an archive may unpack to."""

    def __init__(self, stream: _Readable) -> None:
        self._stream = stream
        self._left = MOST_UNPACKED

    def read(self, size: int) -> bytes:
        content = self._stream.read(size)
        self._left -= len(content)
        if self._left < 0:
            raise Refused(TOO_MUCH)
        return content


def _begins_tar(head: bytes) -> bool:
    try:
        tarfile.TarInfo.frombuf(head, "utf-8", "surrogateescape")
    except (tarfile.TarError, ValueError):
        return False
    return True

"""What a worker must read: its interpreter, its own modules, and the packages that an exercise imports."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from .base import FenceError
from .kernel import in_a_fork

SYSTEM = (
    os.devnull,
    "/dev/urandom",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/usr/share/zoneinfo",
    *map(str, Path("/etc").glob("ld-musl-*.path")),
)
# Of the standard library's folder: what is installed there beside it, and its own tests.
LEFT_OUT = frozenset(("site-packages", "dist-packages", "test"))
# The standard library's zoneinfo reads tzdata, where that is installed.
PACKAGES = ("numpy", "greenlet", "msgpack", "tzdata")
# Loaded by the C library when a thread is ended, and by nothing that names it.
LOADED_LATE = ("libgcc_s.so.1",)

GRADER = Path(__file__).parents[2]
OWN = (
    "__init__.py",
    "authoring/__init__.py",
    "authoring/trouble.py",
    "devices",
    "results.py",
    "runner/__init__.py",
    "runner/wire.py",
    "runner/worker.py",
)


def readable_paths(imports: Sequence[str]) -> tuple[str, ...]:
    return _readable_with(frozenset((*PACKAGES, *_foreign(imports))))


@cache
def _readable_with(names: frozenset[str]) -> tuple[str, ...]:
    """The files and folders for a worker that may import these packages."""
    library = Path(os.__file__).parent
    paths = [str(each) for each in library.iterdir() if each.name not in LEFT_OUT]
    packages = [place for name in sorted(names) for place in _package(name)]
    paths += packages
    paths += [str(GRADER / name) for name in OWN]
    paths += SYSTEM
    paths += _libraries(_extensions([str(library / "lib-dynload"), *packages]), paths)
    return tuple(path for path in dict.fromkeys(paths) if Path(path).exists())


def _foreign(imports: Iterable[str]) -> Iterator[str]:
    """The packages in ``imports``; of the grader itself the devices alone may be read."""
    for name in imports:
        top, _, rest = name.partition(".")
        if top == GRADER.name:
            if rest.partition(".")[0] != "devices":
                text = f"the exercise's `imports` has {name}: of {top}, a submission may have {top}.devices alone"
                raise FenceError("landlock", text)
        elif top not in sys.stdlib_module_names:
            yield top


def _package(name: str) -> Iterator[str]:
    """Where a package lies, with the libraries that its wheel brought along."""
    spec = importlib.util.find_spec(name)
    if spec is None:
        return
    for place in spec.submodule_search_locations or filter(None, [spec.origin]):
        if GRADER.is_relative_to(os.path.realpath(place)):
            text = f"the exercise's `imports` has {name}, whose folder {place} holds the grader and its suites"
            raise FenceError("landlock", text)
        yield place
        beside = Path(place).with_name(f"{name}.libs")
        if beside.is_dir():
            yield str(beside)


def _extensions(places: Iterable[str]) -> Iterator[str]:
    for place in places:
        if place.endswith(".so"):
            yield place
        for folder, _, files in os.walk(place):
            yield from (f"{folder}/{name}" for name in files if name.endswith(".so"))


class _Loaded(ctypes.Structure):
    """The beginning of what dl_iterate_phdr(3) tells of a library."""

    _fields_ = [("address", ctypes.c_void_p), ("name", ctypes.c_char_p)]


def _libraries(extensions: Iterable[str], known: Sequence[str]) -> list[str]:
    """The shared libraries that the interpreter and its extension modules load, as the loader finds them.

    A process of its own loads them all and tells: whole folders of libraries would show more, on some systems the
    packages of every Python too.
    """
    names = [os.fsdecode(name) for name in in_a_fork(lambda: _load_all(extensions)) or ()]
    folders = tuple(f"{path}/" for path in known)
    return [name for name in names if name.startswith("/") and not name.startswith(folders)]


def _load_all(files: Iterable[str]) -> list[bytes]:
    for file in (*files, *LOADED_LATE):
        try:
            ctypes.CDLL(file, os.RTLD_LAZY)
        except OSError:
            continue
    names: list[bytes] = []

    def note(loaded: ctypes._Pointer[_Loaded], size: int, data: int | None) -> int:
        names.append(loaded.contents.name or b"")
        return 0

    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Loaded), ctypes.c_size_t, ctypes.c_void_p)
    ctypes.CDLL(None).dl_iterate_phdr(kind(note), None)
    return names

"""Remembers what checking a tree found, until anything that it depends on is another."""

from __future__ import annotations

import contextlib
import json
import stat
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import Any

from grader.cli._files import write_atomically
from grader.cli._state import cache_file
from grader.course.course import PACKAGE
from grader.course.library import Library
from grader.results import Check, Edit, Finding
from grader.rules.course.origin import CONFIG

KEPT = 30
LIBRARIES = ("markdown-it-py", "mdit-py-plugins", "PyYAML", "jsonschema")
CODE = ("rules", "course", "results.py", "limits.py")
# What rules read. Of other files they know only that they are there.
READ = frozenset((".md", ".markdown", ".yml", ".yaml", ".py", ".html", ".htm", ".svg"))


class Cache:
    """What was found in one tree with one choice of rules. A file that is missing or broken remembers nothing."""

    def __init__(self, library: Library, options: Sequence[str]) -> None:
        place = blake2b(repr((str(library.root), options)).encode(), digest_size=16)
        self.file = cache_file(f"check/{place.hexdigest()}.json")
        self.key = _fingerprint(library, options)

    def load(self) -> Check | None:
        """What was found when all was as it is now, if that is remembered."""
        try:
            kept = json.loads(self.file.read_bytes())
            return _check(kept["check"]) if kept["key"] == self.key else None
        except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
            return None

    def store(self, check: Check) -> None:
        """Remember what was found, if there is where to; of many trees, those that were checked last."""
        plain = asdict(check) | {"lines": [[*place, line] for place, line in check.lines.items()]}
        with contextlib.suppress(OSError):
            write_atomically(self.file, json.dumps({"key": self.key, "check": plain}).encode())
            by_age = sorted(self.file.parent.glob("*.json"), key=lambda file: file.stat().st_mtime)
            for file in by_age[:-KEPT]:
                file.unlink()


def _check(plain: dict[str, Any]) -> Check:
    """Read back what ``store`` wrote."""
    findings = tuple(
        Finding(**{**each, "edits": tuple(Edit(**edit) for edit in each["edits"])}) for each in plain["findings"]
    )
    lines = {(path, number): line for path, number, line in plain["lines"]}
    return Check(findings, plain["files"], tuple(plain["rules"]), lines, tuple(plain["notes"]))


def _fingerprint(library: Library, options: Sequence[str]) -> str:
    """A hash of all that findings depend on: the code that finds, what it is asked for, names and contents."""
    digest = blake2b(digest_size=32)
    for part in _parts(library, options):
        digest.update(len(part).to_bytes(8, "little") + part)
    return digest.hexdigest()


def _parts(library: Library, options: Sequence[str]) -> Iterator[bytes]:
    yield repr((sys.version, [version(name) for name in LIBRARIES], options, library.dialect)).encode()
    for name in CODE:
        yield from _contents(PACKAGE / name)
    names = sorted(library.paths)
    yield "\0".join((*names, "", *sorted(library.closed))).encode("utf-8", "surrogateescape")
    for name in names:
        if Path(name).suffix.lower() in READ:
            yield _content(library.root / name)
    if library.course is not None and library.course.suites is not None:
        yield from _contents(library.course.suites)
    yield _content(library.root / CONFIG)


def _contents(place: Path) -> Iterator[bytes]:
    for file in sorted(place.rglob("*")) if place.is_dir() else [place]:
        if file.suffix != ".pyc":
            yield str(file).encode("utf-8", "surrogateescape")
            yield _content(file)


def _content(file: Path) -> bytes:
    """The content of a file, or what it is instead: a pipe must not be waited for."""
    try:
        mode = file.stat().st_mode
        return file.read_bytes() if stat.S_ISREG(mode) else str(mode).encode()
    except OSError as error:
        return repr(error).encode()

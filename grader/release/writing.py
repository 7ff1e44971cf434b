"""Writing a release: what was written before is brought up to date, and nothing else is touched."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

RECORD = ".release.json"
BESIDE = ".release.new"
FORMAT = 1
SHOWN = 20


class ReleaseRefused(Exception):
    """Something stands where a release would be written. Nothing was changed."""


@dataclass(frozen=True, slots=True)
class Written:
    """How many files were new, changed and removed, of all that the release has."""

    new: int
    changed: int
    removed: int
    total: int


def write_release(out: Path, files: Mapping[str, bytes]) -> Written:
    """Make the folder ``out`` hold ``files`` and the record of them; files of others stay as they are.

    Refuses where one of its own files was changed since, or a file of others stands in the way. All is written beside
    its place first and renamed into it after, the record last, so that what an interrupted release left is taken up by
    the next.
    """
    sums = {name: _sum(content) for name, content in files.items()}
    known = _known(out)
    now = {name: _state(out, name) for name in {*known, *files}}
    _refuse(_changed(known, sums, now), "changed since they were released")
    _refuse(_in_the_way(known, sums, now), "were not written by a release and stand in the way")
    wanted = {name: content for name, content in files.items() if now[name] != sums[name]}
    gone = [name for name in known if name not in files and now[name] is not None]
    record = json.dumps({"format": FORMAT, "files": dict(sorted(sums.items()))}, indent=1).encode() + b"\n"
    _put(out, {**wanted, RECORD: record}, gone)
    new = sum(now[name] is None for name in wanted)
    return Written(new, len(wanted) - new, len(gone), len(files))


def _sum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _known(out: Path) -> dict[str, str]:
    """The files that a release wrote here, by path, with their sums."""
    if out.exists() and not out.is_dir():
        raise ReleaseRefused(f"{out} is no folder")
    file = out / RECORD
    if not os.path.lexists(file):
        return {}
    try:
        data = json.loads(file.read_bytes())
        known = {str(name): str(found) for name, found in data["files"].items() if data["format"] == FORMAT}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        known = {}
    if not known or any(Path(name).is_absolute() or ".." in Path(name).parts for name in known):
        raise ReleaseRefused(f"{file} is not what a release of this version wrote")
    return known


def _state(out: Path, name: str) -> str | None:
    """The sum of what is at a path; None if nothing is, and a text that is no sum if something else stands there."""
    *folders, _ = Path(name).parts
    place = out
    for folder in folders:
        place /= folder
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            return "another file's place"
    file = out / name
    if not os.path.lexists(file):
        return None
    return "no file" if file.is_symlink() or not file.is_file() else _sum(file.read_bytes())


def _changed(known: Mapping[str, str], sums: Mapping[str, str], now: Mapping[str, str | None]) -> list[str]:
    return [name for name, written in known.items() if now[name] not in (None, written, sums.get(name))]


def _in_the_way(known: Mapping[str, str], sums: Mapping[str, str], now: Mapping[str, str | None]) -> list[str]:
    return [name for name, wanted in sums.items() if name not in known and now[name] not in (None, wanted)]


def _refuse(names: Iterable[str], why: str) -> None:
    found = sorted(names)
    if found:
        more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        raise ReleaseRefused(f"these files {why}: {', '.join(found[:SHOWN])}{more}")


def _put(out: Path, files: Mapping[str, bytes], gone: Iterable[str]) -> None:
    """Write all files beside their places, then rename each into its own, in order, and remove those that are gone."""
    fresh = not out.exists()
    beside = out.absolute().with_name(f".{out.absolute().name}{BESIDE}") if fresh else out / BESIDE
    shutil.rmtree(beside, ignore_errors=True)  # what an interrupted release left
    beside.parent.mkdir(parents=True, exist_ok=True)
    try:
        beside.mkdir()
        for name, content in files.items():
            file = beside / name
            _make_folder(file.parent)
            file.write_bytes(content)
            file.chmod(0o644)
        if fresh:
            beside.chmod(0o755)
            beside.rename(out)
            return
        for name in files:
            if name != RECORD:
                _make_folder((out / name).parent)
                (beside / name).replace(out / name)
        for name in gone:
            (out / name).unlink()
            _remove_empty((out / name).parent, out)
        (beside / RECORD).replace(out / RECORD)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _make_folder(folder: Path) -> None:
    """Make a folder and those above it, with the same rights whatever the umask is."""
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir()
        folder.chmod(0o755)


def _remove_empty(folder: Path, out: Path) -> None:
    with contextlib.suppress(OSError):
        while folder != out:
            folder.rmdir()
            folder = folder.parent

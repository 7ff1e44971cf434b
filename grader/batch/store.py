"""The folder of results: what is kept of each submission, so that a run goes on where another one was stopped.

A file is whole or not there, and the record of a submission is written after its reports: whatever a killed run left
behind, what has a record is done.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from grader.gradebook import Score
from grader.results import Status

FORMAT = 1
OWN = ".batch"
ADJUSTMENTS = "adjustments.csv"
LONGEST_NAME = 75


class ResultsError(Exception):
    """The folder of results cannot be used: a sentence that says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of one submission beside its reports.

    ``key`` stands for all that the result depends on, ``suite`` for the part of it that is the exercise's. ``fault``
    is whether the grader failed, so that the next run tries again.
    """

    id: str
    key: str
    suite: str
    scores: Mapping[str, Score] | None = None
    seconds: float = 0.0
    reason: str | None = None
    notes: tuple[str, ...] = ()
    fault: bool = False


class Results:
    """A folder of results that no other process writes into: ``open_results`` gives it."""

    def __init__(self, folder: Path, ids: Iterable[str]) -> None:
        self._folder = folder
        self._records = folder / OWN / "records"
        self._writing = folder / OWN / "writing"
        self._stems = file_stems(ids)

    def kept(self, id: str) -> Kept | None:
        """What is kept of a submission, if its reports are as they were written."""
        stem = self._stems[id]
        try:
            plain = json.loads(self._record(id).read_bytes())
            if plain.pop("digest") != _digest(plain):
                return None
            sizes = {ending: (self._folder / (stem + ending)).stat().st_size for ending in plain["sizes"]}
            whole = (plain["format"], plain["id"], plain["sizes"]) == (FORMAT, id, sizes)
            return _from_plain(plain) if whole else None
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            return None

    def keep(self, record: Kept, reports: Mapping[str, str]) -> None:
        """Write the reports of a submission, by the ending of their names, and then its record.

        An older record goes first: reports of another grade may have the sizes that it knows.
        """
        stem = self._stems[record.id]
        self.forget(record.id)
        contents = {ending: _encoded(text) for ending, text in reports.items()}
        for ending, content in contents.items():
            self._write(self._folder / (stem + ending), content)
        plain = _to_plain(record) | {"sizes": {ending: len(content) for ending, content in contents.items()}}
        plain["digest"] = _digest(plain)
        self._write(self._record(record.id), _encoded(json.dumps(plain)))

    def forget(self, id: str) -> None:
        """Let what is kept of a submission be kept no more; its reports stay until there are others."""
        with _explained(self._record(id)):
            self._record(id).unlink(missing_ok=True)

    def others(self) -> list[str]:
        """The ids of whom an earlier run kept a result, and nothing is handed in any more."""
        stems = {stem.lower() for stem in self._stems.values()}
        return sorted(unquote(file.stem) for file in self._records.glob("*.json") if file.stem.lower() not in stems)

    def read(self, name: str) -> str | None:
        """A file about the whole class as an earlier run left it."""
        try:
            return (self._folder / name).read_bytes().decode()
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise ResultsError(f"{self._folder / name} cannot be read: {_why(error)}") from None

    def write(self, name: str, text: str) -> None:
        """Write a file about the whole class, so that it outlives a power cut as well."""
        self._write(self._folder / name, _encoded(text), durably=True)

    def _record(self, id: str) -> Path:
        return self._records / f"{self._stems[id]}.json"

    def _write(self, file: Path, content: bytes, *, durably: bool = False) -> None:
        with _explained(file):
            with self._writing.open("wb") as stream:
                stream.write(content)
                if durably:  # Of one submission's files the record knows the sizes, and they can be made again.
                    stream.flush()
                    os.fsync(stream.fileno())
            self._writing.replace(file)


@contextlib.contextmanager
def _explained(file: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ResultsError(
            f"{file} cannot be written: {_why(error)}. What is graded so far is kept; mend that and run it again"
        ) from None


@contextlib.contextmanager
def open_results(folder: Path, exercise: str, ids: Iterable[str]) -> Iterator[Results]:
    """Open the folder with results of ``ids`` in ``exercise``, or make it; ResultsError if another process has it."""
    own = folder / OWN
    try:
        if folder.exists() and not own.is_dir() and {file.name for file in folder.iterdir()} - {ADJUSTMENTS}:
            raise ResultsError(f"{folder} has files in it that are not results: name a new or an empty folder")
        (own / "records").mkdir(parents=True, exist_ok=True)
        lock = (own / "lock").open("ab")
    except OSError as error:
        raise ResultsError(f"{folder} cannot be used for results: {_why(error)}") from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ResultsError(f"another run writes into {folder} now: wait for it, or name another folder") from None
        results = Results(folder, ids)
        _claim(results, exercise, folder)
        yield results


def _claim(results: Results, exercise: str, folder: Path) -> None:
    name = f"{OWN}/exercise.json"
    kept = results.read(name)
    if kept is None:
        results.write(name, json.dumps({"format": FORMAT, "exercise": exercise}) + "\n")
        return
    try:
        found = json.loads(kept)["exercise"]
    except (ValueError, LookupError, TypeError):
        raise ResultsError(f"{folder / name} is broken: it must say which exercise these results are of") from None
    if found != exercise:
        raise ResultsError(f"{folder} holds results of {found}, not of {exercise}: name another folder")


def file_stems(ids: Iterable[str]) -> dict[str, str]:
    """For each id, what its files are called, apart from the ending.

    The names need no quotes, and no two are the same where capitals do not count.

    >>> file_stems(["ada", "o/../brien", ".batch", "Eve", "eve"])
    {'ada': 'ada', 'o/../brien': 'o%2F..%2Fbrien', '.batch': '%2Ebatch', 'Eve': '%45ve', 'eve': 'eve'}
    """
    stems = {id: _stem(id) for id in ids}
    shared = Counter(stem.lower() for stem in stems.values())
    return {id: _without_capitals(stem) if shared[stem.lower()] > 1 else stem for id, stem in stems.items()}


def _stem(id: str) -> str:
    stem = re.sub(r"^\.", "%2E", quote(id, safe="@+", errors="surrogatepass"))
    if len(stem) <= LONGEST_NAME:
        return stem
    return f"{stem[:LONGEST_NAME]}~{sha256(id.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def _without_capitals(stem: str) -> str:
    return re.sub(r"%..|[A-Z]", lambda found: found[0] if found[0][0] == "%" else f"%{ord(found[0]):02X}", stem)


def _to_plain(record: Kept) -> dict[str, Any]:
    scores = record.scores
    return {
        "format": FORMAT,
        "id": record.id,
        "key": record.key,
        "suite": record.suite,
        "scores": None if scores is None else {id: [each.status, str(each.earned)] for id, each in scores.items()},
        "seconds": record.seconds,
        "reason": record.reason,
        "notes": list(record.notes),
        "fault": record.fault,
    }


def _from_plain(plain: Mapping[str, Any]) -> Kept:
    scores = plain["scores"]
    return Kept(
        id=plain["id"],
        key=plain["key"],
        suite=plain["suite"],
        scores=None if scores is None else {sys.intern(id): _score(*each) for id, each in scores.items()},
        seconds=plain["seconds"],
        reason=plain["reason"],
        notes=tuple(plain["notes"]),
        fault=plain["fault"],
    )


@cache
def _score(status: Status, earned: str) -> Score:
    # A class has few different ones: each is in memory once.
    return Score(status, Decimal(earned))


def _digest(plain: Mapping[str, Any]) -> str:
    return sha256(json.dumps(plain).encode()).hexdigest()


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")


def _why(error: OSError | ValueError) -> str:
    return (isinstance(error, OSError) and error.strerror) or "it is not UTF-8"

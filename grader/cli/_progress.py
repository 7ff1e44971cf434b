"""Where progress is kept: one file of the user's, which two commands may write at once and nothing can lose."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import IO

import click

from grader.cli._files import real, write_atomically
from grader.cli._state import data_file
from grader.results import Grade
from grader.study import BrokenHistory, Event, History, NewerHistory
from grader.study.history import Kind

PATIENCE = 5.0
PAUSE = 0.01


def load() -> History:
    """What is kept; nothing if that is broken, which is put aside and said."""
    try:
        file = _file()
        try:
            return _read(file)
        except BrokenHistory:
            with _locked(file):
                return _mended(file)
    except (OSError, RuntimeError, NewerHistory) as error:
        raise click.UsageError(f"your progress cannot be read: {_explain(error)}.") from None


def record(kind: Kind, item: str, result: str = "") -> None:
    """Add what happened today; a usage error if that cannot be kept."""
    try:
        file = _file()
        file.parent.mkdir(parents=True, exist_ok=True)
        with _locked(file):
            before = _mended(file)
            after = before.add(Event(date.today(), kind, item, result))
            if after != before:
                write_atomically(file, after.write().encode())
    except (OSError, RuntimeError, NewerHistory) as error:
        raise click.UsageError(f"this does not enter your progress: {_explain(error)}.") from None


def keep(kind: Kind, item: str, result: str = "") -> None:
    """Add what happened today; if it cannot be kept, say so and go on."""
    try:
        record(kind, item, result)
    except click.UsageError as error:
        click.echo(f"Note: {error.message}", err=True)


def keep_grade(grade: Grade) -> None:
    """Keep the points of a grade of everything. Whatever fails in that, the grade stands."""
    if grade.only or grade.faulty:
        return
    try:
        keep("graded", grade.exercise, f"{_plain(grade.earned)} of {_plain(grade.points)}")
    except Exception as error:
        click.echo(f"Note: this does not enter your progress: {type(error).__name__}: {error}.", err=True)


def _plain(points: Decimal) -> str:
    return f"{points.normalize():f}"


def _file() -> Path:
    return real(data_file("progress.json"))


def _read(file: Path) -> History:
    try:
        return History.parse(file.read_bytes())
    except FileNotFoundError:
        return History()


def _mended(file: Path) -> History:
    """What is in the file, which is locked; one that is broken is renamed, and said."""
    try:
        return _read(file)
    except BrokenHistory as error:
        aside = next(name for number in range(1, 1_000_000) if not (name := _aside(file, number)).exists())
        file.rename(aside)
        click.echo(f"{file} is broken: {error}.\n  It is kept as {aside}; your progress begins anew.", err=True)
        return History()


def _aside(file: Path, number: int) -> Path:
    return file.with_name(f"{file.stem}.broken-{number}{file.suffix}")


def _explain(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error)


@contextmanager
def _locked(file: Path) -> Iterator[None]:
    """Hold the lock of a file that is replaced: a file beside it. TimeoutError if another command does not let go."""
    # A library for this (filelock) takes longer to import than all else that these commands do.
    with file.with_name(f".{file.name}.lock").open("ab") as lock:
        deadline = time.monotonic() + PATIENCE
        while not _try_lock(lock):
            if time.monotonic() > deadline:
                raise TimeoutError(f"another command holds {lock.name}")
            time.sleep(PAUSE)
        yield


def _try_lock(lock: IO[bytes]) -> bool:
    """Lock a file until it is closed, unless another process has it locked."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True

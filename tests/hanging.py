"""A suite that hangs, and whether the processes that it hung in are gone, whoever is left to wait for them."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

PATIENCE_SECONDS = 10.0


def source(mark: Path) -> str:
    """A function ``hang``, which leaves an x in ``mark`` and holds a lock on it as long as its process lives."""
    return f"""
def hang():
    import fcntl, time
    with open({str(mark)!r}, "a") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        file.write("x")
        file.flush()
        time.sleep(3600)
"""


def wait_until_hung(mark: Path, processes: int) -> None:
    _wait(lambda: mark.exists() and len(mark.read_text()) == processes, "nothing hangs")


def wait_until_gone(mark: Path) -> None:
    """Return once no process that hung is left."""
    with mark.open() as file:
        _wait(lambda: _locked(file), "a process goes on")


def _locked(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _wait(reached: Callable[[], bool], otherwise: str) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while not reached():
        assert time.monotonic() < end, otherwise
        time.sleep(0.01)

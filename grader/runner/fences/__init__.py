"""What fences a worker in before it runs a learner's code: one module a platform, one interface."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from importlib import import_module

from .base import FenceError, Limits, Missing, Platform, Prepared

__all__ = [
    "FenceError",
    "Limits",
    "Missing",
    "Platform",
    "Prepared",
    "enclose",
    "prepare",
    "raise_fences",
    "readable_paths",
    "survey",
]


def survey(strict: bool) -> tuple[tuple[str, ...], tuple[Missing, ...]]:
    """The fences of a level that can be had here, and those that cannot.

    Each is tried in a process of its own, so that the answer is what a worker will find.

    >>> names, missing = survey(strict=False)
    >>> "rlimits" in names or sys.platform == "win32"
    True
    """
    return _platform().survey(strict)


def enclose(names: Sequence[str], limits: Limits) -> ExitStack:
    """Do for a worker that is about to be forked what must be done from outside; close it when the worker has ended.

    The calling process is changed for good: it is to fork one worker, and none after.
    """
    return _platform().enclose(names, limits)


def prepare(names: Sequence[str], readable: Sequence[str]) -> Prepared:
    """Make once what is the same for all workers that read the same files, as they are now."""
    return _platform().prepare(names, readable)


def raise_fences(
    names: Sequence[str],
    limits: Limits,
    readable: Sequence[str],
    number: int | None = None,
    *,
    prepared: Prepared | None = None,
) -> None:
    """Fence this process in, for good, or raise FenceError.

    Of files it will see ``readable`` alone, and only read them. ``number`` tells it from all workers that run at the
    same time: the id of the process that called ``enclose``, else its own. ``prepared`` is what ``prepare`` made of the
    same names and files, if that was called.
    """
    _platform().raise_fences(names, limits, readable, os.getpid() if number is None else number, prepared)


def readable_paths(imports: Sequence[str]) -> tuple[str, ...]:
    """The files and folders that a worker must read: its interpreter's, its own, and those of packages in ``imports``.

    A package brings nothing that it needs in turn: ``imports`` names that, too.
    """
    return _platform().readable_paths(imports)


def _platform() -> Platform:
    name = "linux" if sys.platform == "linux" else "posix" if os.name == "posix" else "windows"
    platform: Platform = import_module(f".{name}", __name__)
    return platform

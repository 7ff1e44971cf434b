"""Runs functions in workers: forked as the zygote forks them, within fences, and asked what came of it."""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

import numpy
import pytest

import grader
from grader.runner.fences import FenceError, Limits, enclose, raise_fences, readable_paths, survey
from grader.runner.fences.kernel import CLONE_NEWNS, call

BASE = ("rlimits", "user", "landlock", "seccomp")
STRICT = (*BASE, "namespaces", "cgroup")
NOBODY = 65534
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000


class Ended(Exception):
    """A worker ended before it said what came of its task; the exit code, negative for a signal."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


@pytest.fixture(autouse=True)
def _forks_are_meant() -> Iterator[None]:
    with warnings.catch_warnings():
        # Newer Pythons warn of a fork beside threads, which NumPy may have started here.
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


def fork(act: Callable[[], Any]) -> Any:
    """What ``act`` returns in a process of its own; raises FenceError, OSError or Ended as it did."""
    answer, end = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(answer)
        _answer(end, act)
    os.close(end)
    with os.fdopen(answer, "rb") as stream:
        text = stream.read()
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    if not text:
        raise Ended(code)
    kind, *value = json.loads(text)
    if kind == "fence":
        raise FenceError(*value)
    if kind == "system":
        raise OSError(*value)
    if kind == "ended":
        raise Ended(*value)
    assert kind == "value", value[0]
    return value[0]


def _answer(end: int, act: Callable[[], Any]) -> NoReturn:
    answer: list[Any]
    try:
        try:
            answer = ["value", act()]
        except FenceError as error:
            answer = ["fence", error.name, error.reason]
        except OSError as error:
            answer = ["system", error.errno, str(error)]
        except Ended as error:
            answer = ["ended", error.code]
        except BaseException:
            answer = ["error", traceback.format_exc()]
        os.write(end, json.dumps(answer).encode())
    finally:
        os._exit(0)


def in_worker(
    names: Sequence[str],
    act: Callable[[], Any],
    *,
    limits: Limits | None = None,
    readable: Sequence[str] | None = None,
    as_nobody: bool = False,
) -> Any:
    """What ``act`` returns within these fences."""
    paths = readable_paths(()) if readable is None else readable
    limits = limits or Limits()

    def worker(watcher: int) -> Any:
        raise_fences(names, limits, paths, watcher)
        return act()

    def watch() -> Any:
        if as_nobody:
            become_nobody()
        with enclose(names, limits):
            watcher = os.getpid()
            return fork(lambda: worker(watcher))

    return fork(watch)


def become_nobody() -> None:
    """Become an unprivileged user who may read the interpreter, as one who installed it may."""
    if os.geteuid() != 0:
        return
    call("unshare", CLONE_NEWNS)
    call("mount", b"none", b"/", None, MS_REC | MS_PRIVATE, None)
    for place in dict.fromkeys((Path(sys.base_prefix), Path(sys.prefix), Path(__file__).parents[3])):
        shut = [folder for folder in reversed(place.parents) if not folder.stat().st_mode & 1]
        if shut:
            source = os.open(place, os.O_PATH)
            call("mount", b"tmpfs", os.fsencode(shut[0]), b"tmpfs", 0, b"mode=755")
            place.mkdir(parents=True)
            call("mount", f"/proc/self/fd/{source}".encode(), os.fsencode(place), None, MS_BIND | MS_REC, None)
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)


@cache
def _survey(as_nobody: bool) -> tuple[list[str], dict[str, str]]:
    def look() -> Any:
        if as_nobody:
            become_nobody()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        found, missing = survey(strict=True)
        return found, {each.name: each.reason for each in missing}

    found, missing = fork(look)
    return found, missing


@cache
def _shut_to_nobody() -> list[str]:
    """What a worker reads that is for root alone where this checkout or its environment was made so."""

    def look() -> Any:
        become_nobody()
        return [file for file in (os.__file__, numpy.__file__, grader.__file__) if not os.access(file, os.R_OK)]

    found: list[str] = fork(look)
    return found


def need(*names: str, as_nobody: bool = False) -> None:
    """Skip a test of fences that this machine does not give."""
    if as_nobody and (shut := _shut_to_nobody()):
        pytest.skip(f"only root may read {shut[0]}")
    found, missing = _survey(as_nobody)
    for name in names:
        if name not in found:
            pytest.skip(f"{name}: {missing.get(name, 'not started as root')}")


def level(strict: bool, as_nobody: bool = False) -> tuple[str, ...]:
    """The fences of a level that this machine gives; skips where there are none but limits."""
    need("landlock", "seccomp", as_nobody=as_nobody)
    if strict:
        need("namespaces", as_nobody=as_nobody)
    found, _ = _survey(as_nobody)
    return tuple(name for name in (STRICT if strict else BASE) if name in found)

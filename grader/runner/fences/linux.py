"""Fences of Linux: resource limits, a user of its own, Landlock and seccomp; namespaces and a control group.

The order matters. The group's files and mounts must be reached before the view is cut down, which takes capabilities
that the change of user gives up; Landlock's rules name files in the view that is left; seccomp forbids all of this.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import NoReturn

from . import cgroup, landlock, namespaces, posix, seccomp, user
from .base import FenceError, Limits, Missing, Prepared
from .kernel import PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS, PR_SET_PDEATHSIG, call, set_capabilities
from .readable import readable_paths

BASE = ("rlimits", "user", "landlock", "seccomp")
STRICT = ("namespaces", "cgroup")
UP = "up"

__all__ = ["enclose", "prepare", "raise_fences", "readable_paths", "survey"]


def survey(strict: bool) -> tuple[tuple[str, ...], tuple[Missing, ...]]:
    names = [name for name in (*BASE, *(STRICT if strict else ())) if name != "user" or os.geteuid() == 0]
    if _try(names) is None:
        return tuple(names), ()
    found: list[str] = []
    missing: list[Missing] = []
    # A change of user depends on the two that follow it.
    for name in sorted(names, key="user".__eq__):
        reason = _try([*found, name] if name == "user" else [name])
        if reason is None:
            found.append(name)
        else:
            missing.append(Missing(name, reason))
    return tuple(name for name in names if name in found), tuple(missing)


def enclose(names: Sequence[str], limits: Limits) -> ExitStack:
    with ExitStack() as held:
        if "cgroup" in names:
            held.push(cgroup.enclose(os.getpid(), limits))
        if "namespaces" in names:
            held.push(namespaces.enclose())
        return held.pop_all()


def prepare(names: Sequence[str], readable: Sequence[str]) -> Prepared:
    if "namespaces" in names:
        return Prepared(None, tuple(readable))  # In a view of its own a worker meets other files at these paths.
    with _named("landlock"):
        rules = landlock.make_rules(readable) if "landlock" in names else None
    return Prepared(rules, user.find_unreadable(readable) if "user" in names else ())


def raise_fences(
    names: Sequence[str], limits: Limits, readable: Sequence[str], number: int, prepared: Prepared | None
) -> None:
    prepared = prepared or Prepared(None, tuple(readable))
    for name in names:
        if name not in BASE + STRICT:
            raise FenceError(name, "there is no fence of this name")
    guarded = {"landlock", "seccomp"} <= set(names)
    own = user.own_id(number) if "user" in names else None  # /proc tells, which will be out of view.
    _raise(
        names,
        {
            "cgroup": partial(cgroup.raise_fence, number),
            "rlimits": partial(posix.set_limits, limits, _processes(names, limits)),
            "namespaces": partial(namespaces.raise_fence, readable, limits),
            "user": partial(user.raise_fence, own, prepared.unreadable, guarded),
        },
    )
    if "user" not in names:
        set_capabilities(0, 0)
    os.umask(0o077)
    call("prctl", PR_SET_DUMPABLE, 0, 0, 0, 0)
    call("prctl", PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    _raise(
        names,
        {
            "landlock": partial(_raise_landlock, names, readable, prepared.rules),
            "seccomp": partial(seccomp.raise_fence, "landlock" in names),
        },
    )


def _raise_landlock(names: Sequence[str], readable: Sequence[str], rules: int | None) -> None:
    if rules is None:
        # In a view that holds what is readable and nothing else, imports may look into each folder.
        rules = landlock.make_rules(readable, ("/",) if "namespaces" in names else ())
    landlock.raise_fence(rules)


def _raise(names: Sequence[str], fences: Mapping[str, Callable[[], None]]) -> None:
    for name, fence in fences.items():
        if name in names:
            with _named(name):
                fence()


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Say which fence it is that the system refuses."""
    try:
        yield
    except OSError as error:
        raise FenceError(name, str(error)) from None


def _processes(names: Sequence[str], limits: Limits) -> int:
    """The bound on processes, which the kernel counts together by user: threads, too, and those of other programs."""
    if "user" in names or "namespaces" in names:
        return limits.processes
    running = int(Path("/proc/loadavg").read_text().split()[3].partition("/")[2])
    return running + limits.processes


def _try(names: Sequence[str]) -> str | None:
    """Why these fences do not come up around a process; None if they do."""
    answer, end = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(answer)
        _answer(end, partial(_be_watcher, names, end))
    os.close(end)
    with os.fdopen(answer, "rb") as stream:
        reason = stream.read().decode()
    with suppress(ChildProcessError):  # where the system is told to reap children
        os.waitpid(process, 0)
    return None if reason == UP else reason or "the process that tried it was killed"


def _be_watcher(names: Sequence[str], end: int) -> None:
    limits = Limits()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    with enclose(names, limits):
        number = os.getpid()
        worker = os.fork()
        if worker == 0:
            _answer(end, partial(_be_worker, names, limits, number, end))
        os.waitpid(worker, 0)


def _be_worker(names: Sequence[str], limits: Limits, number: int, end: int) -> None:
    # A change of user must not make the interpreter unreadable.
    readable = (str(Path(os.__file__).parent),) if "user" in names else ()
    raise_fences(names, limits, readable, number, None)
    os.write(end, UP.encode())


def _answer(end: int, act: Callable[[], None]) -> NoReturn:
    """Act, and say what kept this process from it."""
    try:
        act()
    except FenceError as error:
        os.write(end, error.reason.encode())
    except BaseException as error:
        os.write(end, f"{type(error).__name__}: {error}".encode())
    finally:
        os._exit(0)

"""A user of the worker's own, for a grader that was started as root."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from .base import FenceError
from .kernel import CAP_DAC_READ_SEARCH, PR_SET_KEEPCAPS, call, in_a_fork, set_capabilities

# Ids that no distribution gives to anyone; where few ids are mapped, ones that Debian reserves; else nobody.
FIRST, FIRST_OF_FEW, FEW, NOBODY = 2_000_000_000, 2**15, 2**14, 65534


def worker_id(number: int, *maps: str) -> int | None:
    """A user and group id for a worker, mapped in each of ``maps``, which are as in /proc/PID/uid_map.

    >>> everyone, few, root = "0 0 4294967295", "0 1000 1\\n1 100000 65536", "0 1000 1"
    >>> worker_id(7, everyone, everyone), worker_id(7, everyone, few), worker_id(7, root, root)
    (2000000007, 32775, None)
    """
    ranges = [[list(map(int, line.split())) for line in each.splitlines()] for each in maps]
    for candidate in (FIRST + number, FIRST_OF_FEW + number % FEW, NOBODY):
        if all(any(first <= candidate < first + count for first, _, count in each) for each in ranges):
            return candidate
    return None


def own_id(number: int) -> int | None:
    """The id for a worker of this process's user namespace."""
    return worker_id(number, *(Path(f"/proc/self/{kind}_map").read_text() for kind in ("uid", "gid")))


def raise_fence(own: int | None, doubtful: Sequence[str], may_keep_reading: bool) -> None:
    """Become the user and group of an id, without other groups and without capabilities.

    If it may not read one of ``doubtful``, which it must, because Python was installed for root, it keeps the
    capability to read everything; ``may_keep_reading`` says that other fences bound that.
    """
    if own is None:
        raise FenceError("user", "root is the only user in this user namespace; start the grader as another user")
    search = 1 << CAP_DAC_READ_SEARCH
    try:
        call("prctl", PR_SET_KEEPCAPS, 1, 0, 0, 0)
        _become(own)
        call("prctl", PR_SET_KEEPCAPS, 0, 0, 0, 0)
    except PermissionError:
        text = "root may not become another user here: give the container CAP_SETUID and CAP_SETGID, or another user"
        raise FenceError("user", text) from None
    unreadable = _unreadable(doubtful)
    if unreadable and not may_keep_reading:
        text = f"Python is installed where only root may read it ({unreadable[0]}): install it for every user"
        raise FenceError("user", text)
    keep = search if unreadable else 0
    set_capabilities(keep, keep)


def find_unreadable(paths: Sequence[str]) -> tuple[str, ...]:
    """Those of ``paths`` that a worker's user may not read, as such a user finds out; all, where it cannot."""

    def look() -> list[bytes]:
        own = own_id(os.getpid())
        assert own is not None
        _become(own)
        return [os.fsencode(path) for path in _unreadable(paths)]

    found = in_a_fork(look)
    return tuple(paths) if found is None else tuple(map(os.fsdecode, found))


def _become(own: int) -> None:
    os.setgroups([])
    os.setresgid(own, own, own)
    os.setresuid(own, own, own)


def _unreadable(paths: Sequence[str]) -> list[str]:
    return [path for path in paths if not os.access(path, os.R_OK)]

"""Calls of the Linux kernel that Python does not offer."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_KEEPCAPS, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 4, 8, 22, 38
CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC = 0x00020000, 0x04000000, 0x08000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
CAP_DAC_READ_SEARCH = 2

LIBRARY = ctypes.CDLL(None, use_errno=True)


def call(name: str, *arguments: int | bytes | ctypes.Array[Any] | ctypes.Structure | None) -> int:
    """Call a function of the C library; raise OSError if it fails.

    >>> call("getpid") == os.getpid()
    True
    """
    # A plain int would be passed as 32 bits, and the rest of a register may be anything.
    result: int = getattr(LIBRARY, name)(
        *(ctypes.c_long(each) if isinstance(each, int) else each for each in arguments)
    )
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def pointer(structure: ctypes.Structure) -> int:
    """The address of a structure, which the caller keeps alive."""
    return ctypes.addressof(structure)


def set_capabilities(permitted: int, effective: int) -> None:
    """Keep only these capabilities, each a bit."""
    halves = [(effective >> shift & 0xFFFFFFFF, permitted >> shift & 0xFFFFFFFF, 0) for shift in (0, 32)]
    call("capset", (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)(*halves[0], *halves[1]))


def in_a_fork(act: Callable[[], Iterable[bytes]]) -> list[bytes] | None:
    """What ``act`` finds in a process of its own, each without zeros; None if that failed.

    >>> in_a_fork(lambda: [b"a", b"b"])
    [b'a', b'b']
    """
    answer, end = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            with os.fdopen(end, "wb") as stream:
                stream.write(b"".join(each + b"\0" for each in act()) + b"\0")
        finally:
            os._exit(0)
    os.close(end)
    with os.fdopen(answer, "rb") as stream:
        *found, last = stream.read().split(b"\0")
    with suppress(ChildProcessError):  # where the system is told to reap children
        os.waitpid(process, 0)
    return found[:-1] if found and not last else None

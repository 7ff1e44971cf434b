"""seccomp: the system calls that a process may make, as a filter in the kernel's BPF.

It is a list of what is allowed, so that a call that nobody thought of, or that a later kernel adds, is refused. What is
allowed is what Python and NumPy do in one process that writes no file. A refused call fails with EPERM; one that the
list is too old to know, and clone3, whose arguments a filter cannot see, with ENOSYS, so that C libraries fall back.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
from collections.abc import Iterator, Mapping, Sequence

from .base import FenceError
from .kernel import PR_SET_SECCOMP, call, pointer
from .syscalls import ALLOWED, ARCHITECTURES, EXAMINED, NEWEST, numbers

Instruction = tuple[int, int, int, int]

LOAD, AND, JUMP_EQUAL, JUMP_GREATER, JUMP_NOT_LESS, GIVE = 0x20, 0x54, 0x15, 0x25, 0x35, 0x06
# Where the filter finds what it decides on. Both machines are little-endian: an argument's lower half comes first.
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16
MODE_FILTER = 2

ALLOW: Instruction = (GIVE, 0, 0, 0x7FFF0000)
KILL: Instruction = (GIVE, 0, 0, 0x80000000)
REFUSE: Instruction = (GIVE, 0, 0, 0x00050000 | errno.EPERM)
UNKNOWN: Instruction = (GIVE, 0, 0, 0x00050000 | errno.ENOSYS)

CLONE_THREAD = 0x00010000
CLONE_NEW_NAMESPACE = 0x7E020000
# F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC, F_GETPIPE_SZ: F_SETOWN could send others signals.
FCNTL = (0, 1, 2, 3, 4, 1030, 1032)
# TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX, TCGETS2: what Python asks of descriptors.
IOCTL = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451, 0x802C542A)
# PR_SET_NAME, PR_GET_NAME: threads have names.
PRCTL = (15, 16)
# O_WRONLY, O_RDWR, O_CREAT, O_TRUNC.
OPEN_TO_WRITE = 0o1103


def raise_fence(files_are_fenced: bool) -> None:
    """Hold this process to the list. Where Landlock does not guard the files, none can be opened to write."""
    filter_ = program(_machine(), os.getpid(), files_are_fenced)
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *each) for each in filter_))
    header = _Program(len(filter_), ctypes.addressof(code))
    try:
        call("prctl", PR_SET_SECCOMP, MODE_FILTER, pointer(header), 0, 0)
    except OSError as error:
        raise FenceError("seccomp", f"the kernel does not take a filter of system calls ({error.strerror})") from None


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


def _machine() -> str:
    machine = platform.machine()
    if machine not in ARCHITECTURES or struct.calcsize("P") != 8:
        known = " and ".join(ARCHITECTURES)
        raise FenceError("seccomp", f"the numbers of system calls are known here for 64-bit {known}, not {machine}")
    return machine


def program(machine: str, process: int, files_are_fenced: bool) -> tuple[Instruction, ...]:
    """The filter, for a process of this id."""
    return tuple(_instructions(machine, process, files_are_fenced))


def _instructions(machine: str, process: int, files_are_fenced: bool) -> Iterator[Instruction]:
    yield from (_load(ARCHITECTURE), (JUMP_EQUAL, 1, 0, ARCHITECTURES[machine]), KILL)
    # x32 is here, too: its numbers have a high bit set.
    yield from (_load(NUMBER), (JUMP_GREATER, 0, 1, NEWEST), UNKNOWN)
    examined = numbers(EXAMINED, machine)
    for name, block in _examinations(process, files_are_fenced).items():
        if name in examined:
            yield from ((JUMP_EQUAL, 0, len(block), examined[name]), *block)
    for first, last in _ranges(numbers(ALLOWED, machine)):
        yield from ((JUMP_NOT_LESS, 0, 2, first), (JUMP_GREATER, 1, 0, last), ALLOW)
    yield REFUSE


def _examinations(process: int, files_are_fenced: bool) -> Mapping[str, Sequence[Instruction]]:
    """What is asked of the arguments of each call that is not allowed as it is."""
    myself = _one_of(0, (process,))
    return {
        "kill": (*myself, ALLOW),
        "tkill": (*myself, ALLOW),
        "tgkill": (*myself, ALLOW),
        "clone": (*_bits(0, CLONE_THREAD | CLONE_NEW_NAMESPACE, CLONE_THREAD), ALLOW),
        "clone3": (UNKNOWN,),
        "sendto": (*_null(4), ALLOW),
        "fcntl": (*_one_of(1, FCNTL), ALLOW),
        "ioctl": (*_one_of(1, IOCTL), ALLOW),
        "prctl": (*_one_of(0, PRCTL), ALLOW),
        "prlimit64": (*_one_of(0, (0, process)), *_null(2), ALLOW),
        "open": (ALLOW,) if files_are_fenced else (*_bits(1, OPEN_TO_WRITE, 0), ALLOW),
        "openat": (ALLOW,) if files_are_fenced else (*_bits(2, OPEN_TO_WRITE, 0), ALLOW),
    }


def _load(offset: int) -> Instruction:
    return LOAD, 0, 0, offset


def _argument(index: int, upper: bool = False) -> Instruction:
    return _load(ARGUMENTS + 8 * index + 4 * upper)


def _one_of(index: int, values: Sequence[int]) -> tuple[Instruction, ...]:
    """Refuse unless an argument, an int of 32 bits, is one of these."""
    left = range(len(values), 0, -1)
    return (_argument(index), *((JUMP_EQUAL, skip, 0, each) for skip, each in zip(left, values, strict=True)), REFUSE)


def _bits(index: int, mask: int, value: int) -> tuple[Instruction, ...]:
    """Refuse unless an argument has this value under a mask."""
    return _argument(index), (AND, 0, 0, mask), (JUMP_EQUAL, 1, 0, value), REFUSE


def _null(index: int) -> tuple[Instruction, ...]:
    """Refuse unless an argument, a pointer, is null."""
    halves = (_argument(index), _argument(index, upper=True))
    return tuple(each for half in halves for each in (half, (JUMP_EQUAL, 1, 0, 0), REFUSE))


def _ranges(calls: Mapping[str, int]) -> Iterator[tuple[int, int]]:
    """Numbers that follow each other, as first and last.

    >>> list(_ranges({"read": 0, "write": 1, "close": 3}))
    [(0, 1), (3, 3)]
    """
    ordered = sorted(calls.values())
    first = last = ordered[0]
    for number in ordered[1:]:
        if number != last + 1:
            yield first, last
            first = number
        last = number
    yield first, last

"""Landlock: the files that a process may read, and no TCP, abstract sockets or signals to others where it can."""

from __future__ import annotations

import errno
import os
import stat
import struct
from collections.abc import Sequence

from .base import FenceError
from .kernel import call

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
VERSION = 1
PATH_BENEATH = 1
WRITE_FILE, READ_FILE, READ_DIR = 1 << 1, 1 << 2, 1 << 3

# How many rights each version of the interface knows: of files, of TCP, of reaching other processes.
RIGHTS = {1: (13, 0, 0), 2: (14, 0, 0), 3: (15, 0, 0), 4: (15, 2, 0), 5: (16, 2, 0), 6: (16, 2, 2)}
NEWEST = max(RIGHTS)
WHY_NOT = {
    errno.ENOSYS: "the kernel was built without Landlock, which Linux has since 5.13",
    errno.EOPNOTSUPP: "the kernel has Landlock, but was started without it:"
    " add landlock to its parameter `lsm=`, as in lsm=landlock,yama,apparmor, and restart",
    errno.EPERM: "something around this process, such as a container's seccomp profile, refuses Landlock",
}


def version() -> int:
    """The version of Landlock's interface that the kernel offers."""
    try:
        return call("syscall", CREATE_RULESET, None, 0, VERSION)
    except OSError as error:
        raise FenceError("landlock", WHY_NOT.get(error.errno or 0, str(error))) from None


def make_rules(readable: Sequence[str], listable: Sequence[str] = (), newest: int = NEWEST) -> int:
    """Rules that leave ``readable`` to read, folders in ``listable`` to list, and /dev/null to write: a descriptor.

    ``newest`` caps the version used.
    """
    files, tcp, scope = RIGHTS[min(version(), newest)]
    rights = struct.pack("QQQ", (1 << files) - 1, (1 << tcp) - 1, (1 << scope) - 1)
    # Kernels refuse rights that they do not know, unless they are zero.
    ruleset = call("syscall", CREATE_RULESET, rights, len(rights), 0)
    for path in readable:
        _allow(ruleset, path, READ_FILE, READ_FILE | READ_DIR)
    for path in listable:
        _allow(ruleset, path, 0, READ_DIR)
    if os.devnull in readable:
        _allow(ruleset, os.devnull, WRITE_FILE, 0)
    return ruleset


def raise_fence(rules: int) -> None:
    """Hold this process to rules, for good."""
    call("syscall", RESTRICT_SELF, rules, 0)
    os.close(rules)


def _allow(ruleset: int, path: str, file: int, folder: int) -> None:
    """Give rights to a file, or to a folder and what is in it."""
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    rights = folder if stat.S_ISDIR(os.fstat(descriptor).st_mode) else file
    call("syscall", ADD_RULE, ruleset, PATH_BENEATH, struct.pack("=Qi", rights, descriptor), 0)
    os.close(descriptor)

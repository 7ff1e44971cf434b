"""Namespaces: a worker that has no other processes, no network and no files but its own to see."""

from __future__ import annotations

import errno
import os
import signal
import struct
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NoReturn

from . import kernel
from .base import FenceError, Limits
from .kernel import call

MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 8, 0x1000, 0x4000, 0x40000
MNT_DETACH = 2
MOUNT_SETATTR = 442
HERE, WHOLE_TREE, READ_ONLY, NO_SUID = -100, 0x8000, 1, 2

# What is mounted over to begin with: a folder that every system has, and no worker needs.
BUILD = "/proc"
OLD = "/.old"
BARE = "/.bare"
SCRATCH = "/tmp"

SETTINGS = {
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns": (
        "1",
        "AppArmor keeps user namespaces from unprivileged processes, as Ubuntu does:"
        " `sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0`, or a profile that allows them",
    ),
    "/proc/sys/kernel/unprivileged_userns_clone": (
        "0",
        "user namespaces are switched off: `sudo sysctl kernel.unprivileged_userns_clone=1`",
    ),
    "/proc/sys/user/max_user_namespaces": (
        "0",
        "user namespaces are switched off: `sudo sysctl user.max_user_namespaces=10000`",
    ),
}


def enclose() -> ExitStack:
    """Let the next process that this one forks be in a process namespace of its own, and say when it is over.

    Its first process stands idle, for without one the namespace cannot be. So the worker is not the first, which
    signals do not reach as they reach others, and yet a child of this process, which sees how it ends.
    """
    user, group = os.geteuid(), os.getegid()
    try:
        if user == 0:
            # A user of its own does for a worker of root what a user namespace would.
            call("unshare", kernel.CLONE_NEWPID)
        else:
            call("prctl", kernel.PR_SET_DUMPABLE, 1, 0, 0, 0)  # Else the maps belong to root.
            call("unshare", kernel.CLONE_NEWUSER | kernel.CLONE_NEWPID)
            for name, text in (
                ("setgroups", "deny"),
                ("uid_map", f"{user} {user} 1"),
                ("gid_map", f"{group} {group} 1"),
            ):
                Path(f"/proc/self/{name}").write_text(text)
    except OSError as error:
        raise FenceError("namespaces", _why_not(error)) from None
    over, hold = os.pipe()
    process = os.fork()
    if process == 0:
        _stand_idle(over)
    os.close(over)
    held = ExitStack()
    held.callback(_wait_for_all)
    held.callback(os.kill, process, signal.SIGKILL)
    held.callback(os.close, hold)
    return held


def _stand_idle(over: int) -> NoReturn:
    """Be the first process of a namespace, until the one that began it ends; all others end with this one."""
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        os.dup2(over, 0)
        os.closerange(1, os.sysconf("SC_OPEN_MAX"))
        os.read(0, 1)
    finally:
        os._exit(0)


def _wait_for_all() -> None:
    """Wait for all children: the first process of a namespace ends when somebody has waited for every other."""
    with suppress(ChildProcessError):
        while True:
            os.wait()


def raise_fence(readable: Sequence[str], limits: Limits) -> None:
    """Leave this process a file system of ``readable``, read-only, and a small scratch folder; no network, no IPC."""
    real = {path: os.path.realpath(path) for path in readable}
    try:
        call("unshare", kernel.CLONE_NEWNS | kernel.CLONE_NEWNET | kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS)
        call("sethostname", b"worker", len(b"worker"))
        call("mount", b"none", b"/", None, MS_REC | MS_PRIVATE, None)
        _mount_new(BUILD, "mode=755,size=1m,nr_inodes=16384", MS_NOSUID | MS_NODEV)
        Path(BUILD + OLD).mkdir()
        call("pivot_root", os.fsencode(BUILD), os.fsencode(BUILD + OLD))
        os.chdir("/")
        Path(SCRATCH).mkdir()
        size = f"mode=1777,size={limits.scratch},nr_inodes={limits.scratch_files}"
        _mount_new(SCRATCH, size, MS_NOSUID | MS_NODEV | MS_NOEXEC)
        _show(real)
        call("umount2", os.fsencode(OLD), MNT_DETACH)
        Path(OLD).rmdir()
        _set_attributes("/", WHOLE_TREE, READ_ONLY | NO_SUID, 0)
        _set_attributes(SCRATCH, 0, 0, READ_ONLY)
    except OSError as error:
        raise FenceError("namespaces", _why_not(error)) from None


def _show(real: Mapping[str, str]) -> None:
    """Mount files and folders of the old root where they were. ``real`` leads from their names to where they are."""
    sources = _sources(_outermost(real.values()))
    # All that is made is made before the first is mounted, lest anything be made in a folder of the system.
    for place in sources:
        is_folder = Path(OLD + place).is_dir()
        (Path(place) if is_folder else Path(place).parent).mkdir(parents=True, exist_ok=True)
        if not is_folder:
            Path(place).touch()
    for path, place in real.items():
        if path != place and not os.path.lexists(path):
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).symlink_to(place)
    Path(BARE).mkdir()
    call("mount", b"/", os.fsencode(BARE), None, MS_BIND, None)
    for place, source in sorted(sources.items()):
        call("mount", os.fsencode(source + place), os.fsencode(place), None, MS_BIND | MS_REC, None)
    call("umount2", os.fsencode(BARE), MNT_DETACH)
    Path(BARE).rmdir()


def _sources(shown: Sequence[str]) -> dict[str, str]:
    """What to mount: places, and where each is mounted from.

    A folder of which most is shown is mounted whole, with the rest covered by nothing: each mount costs time.
    """
    names: dict[str, set[str]] = {}
    for place in shown:
        folder, _, name = place.rpartition("/")
        names.setdefault(folder, set()).add(name)
    sources: dict[str, str] = {}
    for folder, inside in names.items():
        listed = os.access(OLD + folder, os.R_OK)
        hidden = set(os.listdir(OLD + folder)) - inside if listed else set()  # noqa: PTH208
        whole = listed and len(inside) > len(hidden)
        if whole:
            sources[folder] = OLD
        sources |= {f"{folder}/{name}": BARE if whole else OLD for name in (hidden if whole else inside)}
    return {place: OLD if place in shown else source for place, source in sources.items()}


def _outermost(paths: Iterable[str]) -> list[str]:
    """The paths that are not inside another.

    >>> _outermost(["/a/b", "/a", "/a-b", "/c/d"])
    ['/a-b', '/a', '/c/d']
    """
    found: list[str] = []
    for path in sorted(paths, key=lambda path: f"{path}/"):
        if not (found and f"{path}/".startswith(f"{found[-1]}/")):
            found.append(path)
    return found


def _mount_new(target: str, options: str, flags: int) -> None:
    call("mount", b"tmpfs", os.fsencode(target), b"tmpfs", flags, options.encode())


def _set_attributes(path: str, how: int, attributes: int, cleared: int) -> None:
    change = struct.pack("QQQQ", attributes, cleared, 0, 0)
    call("syscall", MOUNT_SETATTR, HERE, os.fsencode(path), how, change, len(change))


def _why_not(error: OSError) -> str:
    """What to do about namespaces that cannot be had."""
    for setting, (value, advice) in SETTINGS.items():
        with suppress(OSError):
            if Path(setting).read_text().strip() == value and os.geteuid() != 0:
                return advice
    if error.errno in (errno.EPERM, errno.EACCES):
        return "something around this process, such as a container, refuses namespaces: let it have CAP_SYS_ADMIN"
    return f"the kernel refuses namespaces ({error.strerror})"

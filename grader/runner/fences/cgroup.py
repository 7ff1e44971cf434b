"""A control group of the worker's own: memory and processes, whatever they are used for, are bounded."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path

from .base import FenceError, Limits

CONTROLLERS = ("memory", "pids")
PROC = Path("/proc/self")
REMOVAL_SECONDS = 1.0
WHAT_TO_DO = (
    "let the grader have a control group of its own, as in"
    " `systemd-run --user --wait --pty -p Delegate=yes -p DelegateSubgroup=grader course grade ...`"
)


def enclose(number: int, limits: Limits) -> ExitStack:
    """Make the group; it is removed on close, when the worker has ended."""
    held = ExitStack()
    try:
        with ExitStack() as made:
            for folder in _folders(number):
                _remove_abandoned(folder.parent)
                folder.mkdir()
                made.callback(_remove, folder)
                _set_limits(folder, limits)
            held = made.pop_all()
    except OSError as error:
        raise FenceError(
            "cgroup", f"no group can be made in {error.filename} ({error.strerror}); {WHAT_TO_DO}"
        ) from None
    return held


def raise_fence(number: int) -> None:
    """Move this process into the group."""
    for folder in _folders(number):
        try:
            (folder / "cgroup.procs").write_text("0")
        except OSError as error:
            raise FenceError("cgroup", f"{folder} cannot be entered ({error.strerror}); {WHAT_TO_DO}") from None


def _set_limits(folder: Path, limits: Limits) -> None:
    values = {
        "memory.max": limits.memory,
        "memory.swap.max": 0,
        "memory.limit_in_bytes": limits.memory,
        "memory.memsw.limit_in_bytes": limits.memory,
        "pids.max": limits.processes,
    }
    for name, value in values.items():
        if (folder / name).exists():
            (folder / name).write_text(str(value))


def _remove_abandoned(parent: Path) -> None:
    """Remove the empty groups of processes that were killed before they could."""
    for folder in parent.glob("grader-*"):
        owner = folder.name.removeprefix("grader-")
        if owner.isdecimal() and not Path(f"/proc/{owner}").exists():
            with suppress(OSError):
                folder.rmdir()


def _remove(folder: Path) -> None:
    """Remove a group; the kernel lets go of it a moment after its last process has ended."""
    deadline = time.monotonic() + REMOVAL_SECONDS
    while True:
        try:
            return folder.rmdir()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.002)


def _folders(number: int) -> tuple[Path, ...]:
    """Where the worker's group is in the hierarchies of memory and pids, which may be one."""
    parents = dict.fromkeys(_parent(name) for name in CONTROLLERS)
    return tuple(parent / f"grader-{number}" for parent in parents)


def _parent(controller: str) -> Path:
    """The group of this process where it may be divided, else the one above."""
    groups = dict(line.split(":", 2)[1:] for line in (PROC / "cgroup").read_text().splitlines())
    named = next((names for names in groups if controller in names.split(",")), "")
    mount = _mounts().get(controller if named else "cgroup2")
    if mount is None or named not in groups:
        raise FenceError("cgroup", f"there is no control group for {controller} here")
    top, root = mount
    inside = groups[named]
    own = top / (inside.removeprefix(root) if root != "/" else inside).lstrip("/")
    if named:
        return own
    for candidate in (own, own.parent) if own != top else (own,):
        if _divides(candidate):
            return candidate
    raise FenceError("cgroup", f"memory and processes cannot be divided in {own}; {WHAT_TO_DO}")


def _divides(group: Path) -> bool:
    """Whether a group of version 2 gives its parts limits of their own; it is told to if it may be."""
    control = group / "cgroup.subtree_control"
    try:
        missing = set(CONTROLLERS) - set(control.read_text().split())
        if missing:
            control.write_text(" ".join(f"+{name}" for name in sorted(missing)))
    except OSError:
        return False
    return True


def _mounts() -> Mapping[str, tuple[Path, str]]:
    """Where each hierarchy is mounted, and which group is seen there at the top."""
    found: dict[str, tuple[Path, str]] = {}
    for line in (PROC / "mountinfo").read_text().splitlines():
        left, _, right = line.partition(" - ")
        root, place = left.split()[3:5]
        kind, _, options = right.split(" ", 2)
        if kind == "cgroup2":
            found.setdefault("cgroup2", (Path(place), root))
        elif kind == "cgroup":
            for name in options.split(","):
                found.setdefault(name, (Path(place), root))
    return found

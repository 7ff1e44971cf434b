"""Fences of any POSIX system: resource limits."""

from __future__ import annotations

import resource
from collections.abc import Collection, Sequence
from contextlib import ExitStack

from .base import FenceError, Limits, Missing, Prepared


def survey(strict: bool) -> tuple[tuple[str, ...], tuple[Missing, ...]]:
    reason = "this system has no fence around files, network and processes: use Linux, on macOS in a virtual machine"
    return ("rlimits",), (Missing("sandbox", reason),)


def enclose(names: Sequence[str], limits: Limits) -> ExitStack:
    return ExitStack()


def prepare(names: Sequence[str], readable: Sequence[str]) -> Prepared:
    return Prepared()


def raise_fences(
    names: Sequence[str], limits: Limits, readable: Sequence[str], number: int, prepared: Prepared | None
) -> None:
    for name in names:
        if name != "rlimits":
            raise FenceError(name, "this system has no such fence")
        # macOS does not let the address space be bounded.
        set_limits(limits, limits.processes, may_fail=(resource.RLIMIT_AS,))


def readable_paths(imports: Sequence[str]) -> tuple[str, ...]:
    return ()


def set_limits(limits: Limits, processes: int, may_fail: Collection[int] = ()) -> None:
    """Set resource limits that a process without privileges cannot raise again."""
    for kind, value in (
        (resource.RLIMIT_AS, limits.memory),
        (resource.RLIMIT_FSIZE, limits.file_size),
        (resource.RLIMIT_NPROC, processes),
        (resource.RLIMIT_NOFILE, limits.open_files),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(kind)[1]
        bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
        try:
            resource.setrlimit(kind, (bound, bound))
        except (OSError, ValueError) as error:
            if kind in may_fail:
                continue
            raise FenceError("rlimits", f"a limit of {bound} cannot be set ({error})") from None

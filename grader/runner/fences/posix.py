"""Fences of any POSIX system: resource limits."""

from __future__ import annotations

import resource

from .limits import Limits


def raise_fences(limits: Limits) -> tuple[str, ...]:
    """Set resource limits that an unprivileged process cannot raise again."""
    for kind, value in (
        (resource.RLIMIT_AS, limits.memory),
        (resource.RLIMIT_FSIZE, limits.file_size),
        (resource.RLIMIT_NPROC, limits.processes),
        (resource.RLIMIT_NOFILE, limits.open_files),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(kind)[1]
        bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (bound, bound))
    return ("rlimits",)

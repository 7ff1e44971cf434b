"""What fences a worker in before it runs a learner's code: one module a platform, one interface."""

from __future__ import annotations

import os

from .limits import Limits

__all__ = ["Limits", "raise_fences"]


def raise_fences(limits: Limits) -> tuple[str, ...]:
    """Fence this process in, for good, and return the names of the fences that are up."""
    if os.name == "posix":
        from .posix import raise_fences as raise_posix_fences

        return raise_posix_fences(limits)
    return ()

"""The time that one call may take."""

from __future__ import annotations

import time
from collections.abc import Callable

from grader.authoring.trouble import Kind
from grader.limits import Limits

FIRST_LOOK_SECONDS = 0.05
SHORTEST_LOOK_SECONDS = 0.02


class Lost(Exception):
    """A call that will not be answered: its worker died or was given up, and why."""

    def __init__(self, kind: Kind, text: str, used: str = "") -> None:
        self.kind: Kind = kind
        self.text = text
        self.used = used


class Allowance:
    """The time that one call may take, by the clock and of the processor.

    What the worker used of the processor is asked from FIRST_LOOK_SECONDS on; until then it counts as busy.
    """

    def __init__(self, limits: Limits, cpu_seconds: Callable[[], float | None]) -> None:
        self._limits = limits
        self._cpu_seconds = cpu_seconds
        self._start = time.monotonic()
        self.end = self._start + limits.wall_seconds
        self._look = self._start + min(FIRST_LOOK_SECONDS, limits.seconds)
        self._unused: float | None = None

    @property
    def left(self) -> float:
        """Seconds until ``check`` has something to decide, 0 if it has now."""
        return max(min(self._look, self.end) - time.monotonic(), 0.0)

    def check(self) -> None:
        """Raise Lost if the time is used up."""
        now = time.monotonic()
        if now < self._look and now < self.end:
            return
        used = self._used(now)
        if used >= self._limits.seconds or now >= self.end:
            # Which of the two it was may depend on what else the machine does: the same words, and what was used.
            text = f"after {self._limits.seconds:g} s of processor time or {self._limits.wall_seconds:g} s by the clock"
            raise Lost("timeout", text, f"{used:.1f} s of processor time in {now - self._start:.1f} s")
        self._look = now + max(self._limits.seconds - used, SHORTEST_LOOK_SECONDS)

    def _used(self, now: float) -> float:
        total = self._cpu_seconds()
        if total is None:
            return 0.0
        if self._unused is None:
            self._unused = total - (now - self._start)
        return total - self._unused

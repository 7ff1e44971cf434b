"""What an address answered, and how politely it is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import grader

# A server that refuses, limits or fails says nothing about the page: that is unknown, and not broken.
Status = Literal["ok", "moved", "broken", "unknown"]


@dataclass(frozen=True, slots=True)
class Answer:
    """What one address answered. ``reason`` is a few words; ``location`` is where it leads now, if elsewhere."""

    url: str
    status: Status
    reason: str
    location: str | None = None


@dataclass(frozen=True, slots=True)
class Policy:
    """How addresses are asked. Times are in seconds.

    ``longest_wait`` is the most that a server's Retry-After is heeded; one that asks for more stays unknown.
    """

    timeout: float = 20
    retries: int = 2
    first_pause: float = 1
    longest_wait: float = 60
    at_once: int = 16
    at_once_per_host: int = 2
    user_agent: str = f"course-links/{grader.__version__}"

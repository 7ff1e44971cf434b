"""What every platform's fences have in common: limits, and words for what is missing or went wrong."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Limits:
    """What one worker may use: bytes, and numbers of things."""

    memory: int = 1024 * 2**20
    file_size: int = 2**20
    processes: int = 64
    open_files: int = 64
    scratch: int = 4 * 2**20
    scratch_files: int = 256


@dataclass(frozen=True, slots=True)
class Missing:
    """A fence that this machine does not give, why not, and what to do about it."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Prepared:
    """What is the same for all workers that read the same files: made once, by whoever forks them.

    A descriptor of Landlock's rules, if there is one; and which of the files a user without privileges may not read.
    """

    rules: int | None = None
    unreadable: tuple[str, ...] = ()


class FenceError(Exception):
    """A fence that was asked for did not come up: never the learner's fault."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"the fence {name} does not come up: {reason}")
        self.name = name
        self.reason = reason


class Platform(Protocol):
    """What a platform's module does; the package's functions of the same names say what each is."""

    def survey(self, strict: bool) -> tuple[tuple[str, ...], tuple[Missing, ...]]: ...

    def enclose(self, names: Sequence[str], limits: Limits) -> ExitStack: ...

    def prepare(self, names: Sequence[str], readable: Sequence[str]) -> Prepared: ...

    def raise_fences(
        self, names: Sequence[str], limits: Limits, readable: Sequence[str], number: int, prepared: Prepared | None
    ) -> None: ...

    def readable_paths(self, imports: Sequence[str]) -> tuple[str, ...]: ...

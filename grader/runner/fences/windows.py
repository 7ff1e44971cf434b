"""Windows: no fences yet, and it says so."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

from .base import FenceError, Limits, Missing, Prepared


def survey(strict: bool) -> tuple[tuple[str, ...], tuple[Missing, ...]]:
    reason = "on Windows nothing holds a submission in: run the grader in WSL2, which has the fences of Linux"
    return (), (Missing("sandbox", reason),)


def enclose(names: Sequence[str], limits: Limits) -> ExitStack:
    return ExitStack()


def prepare(names: Sequence[str], readable: Sequence[str]) -> Prepared:
    return Prepared()


def raise_fences(
    names: Sequence[str], limits: Limits, readable: Sequence[str], number: int, prepared: Prepared | None
) -> None:
    for name in names:
        raise FenceError(name, "Windows has no such fence")


def readable_paths(imports: Sequence[str]) -> tuple[str, ...]:
    return ()

"""Runs one function per rank, taking turns: the next rank goes on when this one waits or returns."""

from __future__ import annotations

import gc
import sys
import traceback
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TextIO, cast

from greenlet import GreenletExit, getcurrent, greenlet

from .errors import DeviceError, GroupError

if TYPE_CHECKING:
    from .machine import Machine


class RankGreenlet(greenlet):
    """One rank's function, which pauses where a collective waits."""


def in_a_rank() -> bool:
    """Whether the caller is a function that runs as a rank of some cluster."""
    return isinstance(getcurrent(), RankGreenlet)


class RankOutput:
    """A text stream in which every line begins with the rank that printed it."""

    def __init__(self, stream: TextIO, machine: Machine) -> None:
        self._stream = stream
        self._machine = machine
        self._unfinished: int | None = None

    def write(self, text: str) -> int:
        rank = self._machine.rank
        if rank is None:
            return self._stream.write(text)
        for line in text.splitlines(keepends=True):
            if self._unfinished != rank:
                self.finish_line()
                self._stream.write(f"[rank {rank}] ")
            self._stream.write(line)
            self._unfinished = None if line.endswith("\n") else rank
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def finish_line(self) -> None:
        """End the line of a rank that printed one without its end."""
        if self._unfinished is not None:
            self._stream.write("\n")
            self._unfinished = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def run_ranks(
    machine: Machine,
    bodies: Sequence[Callable[[], Any]],
    resume: Callable[[int | None], None] | None = None,
) -> list[Any]:
    """Call one of ``bodies`` on each of the machine's ranks and return the results, both in the ranks' order.

    Ready ranks run in rank order; ranks that a collective wakes, in the order in which they came to it. ``resume``
    is called with the rank before each turn, and with None at the end. If a rank raises, the others are cancelled
    and its error is raised; if none can go on, a HangError.
    """
    if machine.pause is not None:
        raise GroupError("run was called inside a run; a rank calls its functions itself")
    results: dict[int, Any] = {}
    failures: list[BaseException] = []
    hub = getcurrent()

    def body(rank: int, function: Callable[[], Any]) -> None:
        try:
            results[rank] = function()
            machine.finish_rank(rank)
        except GreenletExit:
            pass
        except BaseException as error:
            if isinstance(error, DeviceError):
                machine.locate(error, rank)
            else:
                error.add_note(f"on rank {rank} of {machine.world_size}")
            failures.append(error)

    def pause() -> None:
        if not failures:
            hub.switch()
        if failures:
            raise GreenletExit

    def turn(rank: int, act: Callable[..., Any], *args: Any) -> None:
        machine.rank = rank
        if resume is not None:
            resume(rank)
        act(*args)

    ranks = {
        rank: RankGreenlet(partial(body, rank, function), hub)
        for rank, function in zip(machine.ranks, bodies, strict=True)
    }
    stdout = sys.stdout
    output = RankOutput(stdout, machine)
    collecting = gc.isenabled()
    gc.disable()
    sys.stdout = cast(TextIO, output)
    machine.pause = pause
    machine.ready.extend(ranks)
    succeeded = False
    try:
        while machine.ready and not failures:
            rank = machine.ready.popleft()
            turn(rank, ranks[rank].switch)
        if machine.waiting and not failures:
            failures.append(machine.hang())
        for rank, each in ranks.items():
            if not each.dead:
                turn(rank, each.throw, GreenletExit)
        succeeded = not failures
    finally:
        machine.rank = machine.pause = None
        sys.stdout = stdout
        output.finish_line()
        if resume is not None:
            resume(None)
        if not succeeded:
            results.clear()
            machine.abandon()
            _forget_frames(failures)
        if collecting:
            gc.enable()
        # What the ranks left in cycles is young: the collector was off.
        gc.collect(1)
    if failures:
        try:
            raise failures[0]
        finally:
            failures.clear()
    return [results[rank] for rank in ranks]


def _forget_frames(failures: Sequence[BaseException]) -> None:
    """Clear the frames of a failed run, so that no array lives on in its tracebacks."""
    errors, seen = list(failures), set()
    while errors:
        error = errors.pop()
        if id(error) not in seen:
            seen.add(id(error))
            traceback.clear_frames(error.__traceback__)
            errors += [each for each in (error.__cause__, error.__context__) if each is not None]

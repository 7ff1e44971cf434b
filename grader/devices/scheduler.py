"""Runs one function per rank, taking turns: the next rank goes on when this one waits or returns."""

from __future__ import annotations

import gc
import sys
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from greenlet import GreenletExit, getcurrent, greenlet

from .errors import DeviceError

if TYPE_CHECKING:
    from .machine import Machine


class RankOutput:
    """A text stream in which every line begins with the rank that printed it."""

    def __init__(self, stream: TextIO, machine: Machine) -> None:
        self._stream = stream
        self._machine = machine
        self._open: int | None = None

    def write(self, text: str) -> int:
        rank = self._machine.rank
        if rank is None:
            return self._stream.write(text)
        for line in text.splitlines(keepends=True):
            if self._open is not None and self._open != rank:
                self._stream.write("\n")
                self._open = None
            if self._open is None:
                self._stream.write(f"[rank {rank}] ")
            self._stream.write(line)
            self._open = None if line.endswith("\n") else rank
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def run_ranks(
    machine: Machine,
    bodies: Sequence[Callable[[], Any]],
    resume: Callable[[int | None], None] | None = None,
) -> list[Any]:
    """Call ``bodies[rank]()`` for every rank and return the results.

    Ready ranks run in rank order; ranks that a collective wakes, in the order in which they came to it. ``resume``
    is called with the rank before each turn, and with None at the end. If a rank raises, the others are cancelled
    and its error is raised; if none can go on, a HangError.
    """
    results: list[Any] = [None] * len(bodies)
    failures: list[BaseException] = []
    ready = deque(range(len(bodies)))
    hub = getcurrent()

    def body(rank: int) -> None:
        try:
            results[rank] = bodies[rank]()
            machine.finish_rank(rank)
        except GreenletExit:
            pass
        except BaseException as error:
            failures.append(error)

    def pause() -> None:
        if failures:
            raise GreenletExit
        hub.switch()
        if failures:
            raise GreenletExit

    ranks = [greenlet(body, hub) for _ in bodies]
    output = sys.stdout
    collecting = gc.isenabled()
    gc.disable()
    sys.stdout = RankOutput(output, machine)  # type: ignore[assignment]
    machine.pause = pause
    started: set[int] = set()
    try:
        while ready and not failures:
            rank = ready.popleft()
            machine.rank = rank
            if resume is not None:
                resume(rank)
            if rank in started:
                ranks[rank].switch()
            else:
                started.add(rank)
                ranks[rank].switch(rank)
            ready.extend(other for other, call in machine.waiting.items() if call.done and other not in ready)
            if not ready and machine.waiting and not failures:
                failures.append(machine.hang())
        if failures:
            for rank in started:
                if not ranks[rank].dead:
                    machine.rank = rank
                    ranks[rank].throw(GreenletExit)
            raise failures[0]
        return results
    except BaseException as error:
        results.clear()
        machine.abandon()
        if isinstance(error, DeviceError):
            _forget_values(error)
        raise
    finally:
        machine.rank = None
        machine.pause = None
        machine.waiting.clear()
        sys.stdout = output
        if resume is not None:
            resume(None)
        if collecting:
            gc.enable()
        # What the ranks left in cycles is young: the collector was off.
        gc.collect(1)


def _forget_values(error: BaseException) -> None:
    """Clear the frames of a failed run, so that no array lives on in its traceback."""
    traceback.clear_frames(error.__traceback__)

"""What the trusted side makes of what a worker says during one call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grader.devices.errors import DeviceError

from . import wire
from .replay import LogState, Replay


class Listener:
    """Takes the log entries of one call, one by one: does them again, and learns what came of the call."""

    def __init__(self, name: str, replay: Replay | None, log: LogState, answer: Callable[[bytes], None]) -> None:
        self._name = name
        self._replay = replay
        self._log = log
        self._answer = answer
        self._failure: DeviceError | None = None
        self._told = False
        self.outcome: Any = None
        self.over = False
        self.answered_last = False

    def take(self, entry: list[Any], blob: bytes) -> None:
        """Take one entry; raises what an honest worker would not have let happen."""
        self.answered_last = False
        kind = entry[0]
        if self.over:
            raise wire.WireError("an entry after the end")
        if kind == wire.END:
            if not self._told:
                raise wire.WireError("an end without an answer")
            self._log.catch_up(entry[1:])
            self.over = True
        elif kind == wire.RETURN:
            self._return(entry[1])
        elif kind == wire.RAISE:
            self._told = True
            self.outcome = wire.trouble_from_plain(entry[1], self._name)
            if self._replay is not None:
                self._replay.abandon()
        else:
            self._act(kind, entry, blob)

    def _return(self, packed: bytes) -> None:
        self._told = True
        if self._failure is not None:
            raise self._failure
        self.outcome = wire.decode(packed, self._replay or wire.Decoder())
        if self._replay is not None:
            self._replay.finish()

    def _act(self, kind: int, entry: list[Any], blob: bytes) -> None:
        if self._replay is None:
            raise wire.WireError("an act on a device outside of a run")
        if self._failure is not None and kind != wire.DROP:
            if kind == wire.DOWNLOAD:
                raise self._failure
            return
        try:
            answer = self._replay.apply(entry, blob, self._log)
        except DeviceError as error:
            if kind == wire.DOWNLOAD:
                raise
            # An honest worker sees it too, at the learner's line, and says so next.
            self._failure = error
            return
        if answer is not None:
            self.answered_last = True
            self._answer(answer)

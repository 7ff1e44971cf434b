"""The parts of one submission, graded side by side: each in a fork of the trusted process, with a worker of its own."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import NoReturn

from grader.results import to_plain

from .channel import Channel, Message
from .judge import Group, missing_needs, not_tried

SILENCE_SECONDS = 60.0


class PartFault(Exception):
    """A part ended before it had said everything, or said nothing for too long."""


def closure(groups: Sequence[Group], only: Sequence[str]) -> tuple[Group, ...]:
    """The criteria of the functions in ``only``, or all, with those that they need."""
    if not only:
        return tuple(groups)
    wanted: set[str] = set()
    for group in reversed(groups):
        if group.terms.function in only or group.id in wanted:
            wanted |= {group.id, *group.terms.needs}
    return tuple(group for group in groups if group.id in wanted)


def split(groups: Sequence[Group]) -> tuple[tuple[Group, ...], ...]:
    """Cut criteria into parts that take about as long.

    The function that rests on most of the others goes through all that they do, and so takes about as long as those
    together: it is a part of its own.
    """
    function_of = {group.id: group.terms.function for group in groups}
    rests_on: dict[str, set[str]] = {name: set() for name in function_of.values()}
    for group in groups:
        name = group.terms.function
        rests_on[name] |= {function_of[need] for need in group.terms.needs} - {name}
    most = max(rests_on, key=lambda name: len(rests_on[name]))
    if not rests_on[most]:
        return (tuple(groups),)
    apart = tuple(group for group in groups if group.terms.function == most)
    return tuple(group for group in groups if group.terms.function != most), apart


class Results:
    """Puts the results of all parts into the order of the criteria.

    A criterion of which another part judged what it needs was tried on trust: where that was not earned, it is not
    tried after all.
    """

    def __init__(self, groups: Sequence[Group], files: Mapping[str, bytes]) -> None:
        self._groups = deque(groups)
        self._files = files
        self._found: Message = {}
        self._earned: set[str] = set()

    def add(self, criterion: Message) -> Iterator[Message]:
        """Take a result as plain data, and yield those whose turn has come."""
        self._found[criterion["id"]] = criterion
        while self._groups and (result := self._found.pop(self._groups[0].id, None)):
            group = self._groups.popleft()
            missing = missing_needs(group, self._earned)
            if missing:
                result = to_plain(not_tried(group, missing, self._files))
            if result["status"] == "passed":
                self._earned.add(group.id)
            yield result

    def expect_all(self) -> None:
        """Nothing may be left out."""
        if self._groups:
            raise PartFault(f"no result came for {self._groups[0].id}")


def side_by_side(
    parts: Sequence[Sequence[Group]], grade: Callable[[Sequence[Group], Channel], None], silence: float
) -> Generator[Message]:
    """Fork a process for each part, which runs ``grade`` and ends, and yield what they say, as it comes.

    Closing the iterator ends them. ``silence`` is how many seconds a part may say nothing.
    """
    running: dict[int, Channel] = {}
    try:
        for part in parts:
            here, there = socket.socketpair()
            process = os.fork()
            if process == 0:
                here.close()
                for other in running.values():
                    other.close()
                _grade_and_exit(part, grade, Channel(there))
            there.close()
            running[process] = Channel(here)
        yield from _messages(running, silence)
    finally:
        for process, channel in running.items():
            channel.close()
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)


def _grade_and_exit(
    part: Sequence[Group], grade: Callable[[Sequence[Group], Channel], None], channel: Channel
) -> NoReturn:
    code = 1
    try:
        grade(part, channel)
        code = 0
    finally:
        os._exit(code)


def _messages(running: dict[int, Channel], silence: float) -> Iterator[Message]:
    heard = dict.fromkeys(running, time.monotonic())
    while running:
        left = min(heard[process] for process in running) + silence - time.monotonic()
        ready, _, _ = select.select(list(running.values()), [], [], max(left, 0))
        for process, channel in list(running.items()):
            if channel not in ready:
                if time.monotonic() - heard[process] > silence:
                    raise PartFault("a part of the grading did not answer and was stopped")
                continue
            messages = channel.take()
            heard[process] = time.monotonic()
            if messages is None:
                with contextlib.closing(running.pop(process)):
                    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
                if code != 0:
                    raise PartFault(f"a part of the grading ended with {code}")
            else:
                yield from messages

"""Forks of the trusted process: one for each submission, and for each of its parts where it has several."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import time
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from functools import partial
from typing import NoReturn

from grader.results import to_plain

from .channel import Channel, Message, accept
from .judge import Group, missing_needs, needs_beyond, not_tried

SILENCE_SECONDS = 60.0
# Grades some criteria: yields what it has to say, and says in between, by the call that it is given, that it goes on.
Grading = Callable[[Sequence[Group], Callable[[], None]], Iterator[Message]]


class PartFault(Exception):
    """A part ended before it had said everything, or said nothing for too long."""


def closure(groups: Sequence[Group], only: Sequence[str], known: Sequence[str] = ()) -> tuple[Group, ...]:
    """The criteria of the functions in ``only``, or all, with those that they need and that are not of ``known``."""
    if not only:
        return tuple(groups)
    wanted: set[str] = set()
    for group in reversed(groups):
        if group.terms.function in only or group.id in wanted:
            wanted |= {group.id, *group.terms.needs}
    return tuple(group for group in groups if group.id in wanted and group.terms.function not in known)


def split(groups: Sequence[Group]) -> tuple[tuple[Group, ...], ...]:
    """Cut criteria into parts that take about as long.

    The function that rests on most of the others goes through all that they do, and so takes about as long as those
    together: it is a part of its own.
    """
    function_of = {group.id: group.terms.function for group in groups}
    rests_on: dict[str, set[str]] = {name: set() for name in function_of.values()}
    for group in groups:
        name = group.terms.function
        rests_on[name] |= {function_of[need] for need in group.terms.needs if need in function_of} - {name}
    most = max(rests_on, key=lambda name: len(rests_on[name]))
    if not rests_on[most]:
        return (tuple(groups),)
    apart = tuple(group for group in groups if group.terms.function == most)
    return tuple(group for group in groups if group.terms.function != most), apart


class Results:
    """Puts the results of all parts into the order of the criteria.

    A criterion of which another part judged what it needs was tried on trust: where that was not earned, it is not
    tried after all. What no part judges counts as earned.
    """

    def __init__(self, groups: Sequence[Group], files: Mapping[str, bytes]) -> None:
        self._groups = deque(groups)
        self._files = files
        self._found: Message = {}
        self._earned = needs_beyond(groups)

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


def serve(connection: socket.socket, answer: Callable[[Channel], None]) -> None:
    """Fork a process for each channel that comes over ``connection``, which answers it and ends.

    Returns when ``connection`` closes, and ends those that are not done.
    """
    running: set[int] = set()
    try:
        while True:
            channel = accept(connection)
            running = {process for process in running if os.waitpid(process, os.WNOHANG) == (0, 0)}
            if channel is None:
                return
            with contextlib.closing(channel):
                running.add(_fork(partial(answer, channel), connection))
    finally:
        for process in running:
            _end(process)


def side_by_side(
    parts: Sequence[Sequence[Group]], grade: Grading, silence: float, asking: Channel
) -> Generator[Message]:
    """Yield what is said on ``parts`` as it comes, for ``asking``; of several, each is graded in a fork.

    Closing the iterator ends them. ``silence`` is how many seconds such a fork may say nothing.
    """
    if len(parts) == 1:
        yield from grade(parts[0], asking.keep_alive)
        return
    running: dict[int, Channel] = {}
    try:
        for part in parts:
            here, there = socket.socketpair()
            with there:
                act = partial(_say, part, grade, Channel(there))
                running[_fork(act, asking, here, *running.values())] = Channel(here)
        yield from _messages(running, silence)
    finally:
        for process, channel in running.items():
            channel.close()
            _end(process)


def _say(part: Sequence[Group], grade: Grading, channel: Channel) -> None:
    for message in grade(part, channel.keep_alive):
        channel.send(**message)


def _fork(act: Callable[[], None], *others: Channel | socket.socket) -> int:
    """Fork a process that closes what is ``others``', acts and ends; its number."""
    process = os.fork()
    if process == 0:
        for other in others:
            other.close()
        _act_and_exit(act)
    return process


def _act_and_exit(act: Callable[[], None]) -> NoReturn:
    code = 1
    try:
        act()
        code = 0
    except BrokenPipeError:
        pass  # Nobody waits for it any more.
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _end(process: int) -> None:
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)


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

"""Forks of the trusted process: one for each submission, and for each of its parts where it has several."""

from __future__ import annotations

import contextlib
import os
import socket
import traceback
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from functools import partial
from typing import NoReturn

from grader.results import to_plain

from .channel import Channel, Message, accept
from .judge import Group, missing_needs, needs_beyond, not_tried
from .zygote import kill_group

SILENCE_SECONDS = 60.0
# Grades some criteria: yields what it has to say, and says in between, by the call that it is given, that it goes on.
Grading = Callable[[Sequence[Group], Callable[[], None]], Generator[Message]]


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


def put_together(
    groups: Sequence[Group], results: Mapping[str, Message], files: Mapping[str, bytes]
) -> Iterator[Message]:
    """Yield what came of these criteria, as plain data and by id, in their order.

    A criterion of which another part judged what it needs was tried on trust: where that was not earned, it is not
    tried after all. What no part judges counts as earned.
    """
    earned = needs_beyond(groups)
    for group in groups:
        if group.id not in results:
            raise PartFault(f"no result came for {group.id}")
        missing = missing_needs(group, earned)
        result = to_plain(not_tried(group, missing, files)) if missing else results[group.id]
        if result["status"] == "passed":
            earned.add(group.id)
        yield result


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
                running.add(_fork(partial(_lead, answer, channel), connection))
    finally:
        for process in running:
            _end(process)


def _lead(answer: Callable[[Channel], None], channel: Channel) -> None:
    os.setpgid(0, 0)  # Who ends it ends its parts.
    answer(channel)


def side_by_side(
    parts: Sequence[Sequence[Group]], grade: Grading, silence: float, asking: Channel
) -> Generator[Message]:
    """Yield what is said on ``parts``, for ``asking``: the last is graded here, each other one in a fork.

    Closing the iterator ends them. ``silence`` is how many seconds a fork may say nothing once it is waited for.
    """
    *others, own = parts
    running: dict[int, Channel] = {}
    try:
        for part in others:
            here, there = socket.socketpair()
            with there:
                act = partial(_say, part, grade, Channel(there))
                running[_fork(act, asking, here, *running.values())] = Channel(here)
        with contextlib.closing(grade(own, asking.keep_alive)) as messages:
            for message in messages:
                yield message
                for channel in running.values():
                    yield from channel.said()  # Nobody has to wait for what he says to be taken.
        while running:
            process, channel = next(iter(running.items()))
            yield from _until_its_end(channel, silence)
            del running[process]
            channel.close()
            code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
            if code != 0:
                raise PartFault(f"a part of the grading ended with {code}")
    finally:
        for process, channel in running.items():
            channel.close()
            _end(process)


def _until_its_end(channel: Channel, silence: float) -> Iterator[Message]:
    try:
        while (message := channel.receive(silence)) is not None:
            yield message
    except TimeoutError:
        raise PartFault("a part of the grading did not answer and was stopped") from None


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
    kill_group(process)
    os.waitpid(process, 0)

"""Parts of one submission: how they are cut, run side by side, and put together again."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from decimal import Decimal
from itertools import islice

import pytest

from grader.authoring.criteria import Terms
from grader.runner.channel import Channel, Message, connect
from grader.runner.judge import Group
from grader.runner.parts import Grading, PartFault, closure, put_together, serve, side_by_side, split

PATIENCE_SECONDS = 30.0
WRITTEN = b"def shard(x): return x\ndef gather(x): return x\ndef train(x): return x\n"


def group(identity: str, *needs: str) -> Group:
    return Group(identity, Terms(identity.partition("-")[0], Decimal(1), "does it", needs), ())


GROUPS = (
    group("shard-even"),
    group("gather-even", "shard-even"),
    group("train-values", "gather-even", "shard-even"),
    group("train-peak", "train-values"),
    group("fits-all"),
)
PARTS = GROUPS[:2], GROUPS[2:]


def ids(groups: Sequence[Group]) -> list[str]:
    return [each.id for each in groups]


def result(identity: str, status: str = "passed") -> Message:
    return {"id": identity, "status": status}


@contextlib.contextmanager
def run(grade: Grading, silence: float = 30.0, parts: Sequence[Sequence[Group]] = PARTS) -> Iterator[Iterator[Message]]:
    asking, asked = map(Channel, socket.socketpair())
    with (
        contextlib.closing(asking),
        contextlib.closing(asked),
        contextlib.closing(side_by_side(parts, grade, silence, asked)) as messages,
    ):
        yield messages


def test_the_function_that_rests_on_most_others_is_a_part_of_its_own() -> None:
    first, second = split(GROUPS)
    assert ids(first) == ["shard-even", "gather-even", "fits-all"]
    assert ids(second) == ["train-values", "train-peak"]


def test_functions_that_rest_on_no_other_are_one_part() -> None:
    assert split((GROUPS[0], GROUPS[4])) == ((GROUPS[0], GROUPS[4]),)


def test_a_choice_of_functions_brings_what_they_need() -> None:
    assert ids(closure(GROUPS, ["gather"])) == ["shard-even", "gather-even"]
    assert closure(GROUPS, []) == GROUPS


def put(groups: Sequence[Group], results: Sequence[Message]) -> list[Message]:
    return list(put_together(groups, {each["id"]: each for each in results}, {"all.py": WRITTEN}))


def test_what_is_known_of_is_not_chosen_and_counts_as_earned() -> None:
    chosen = closure(GROUPS, ["train"], ["gather"])
    assert ids(chosen) == ["shard-even", "train-values", "train-peak"]
    (part,) = split(chosen[1:])
    assert ids(part) == ["train-values", "train-peak"]
    made = put(chosen, [result("shard-even"), result("train-values"), result("train-peak")])
    assert [each["status"] for each in made] == ["passed"] * 3


def test_results_come_in_the_order_of_the_criteria() -> None:
    given = ["train-values", "train-peak", "shard-even", "fits-all", "gather-even"]
    assert [each["id"] for each in put(GROUPS, [result(name) for name in given])] == ids(GROUPS)


def test_what_was_tried_on_trust_is_blocked_when_its_needs_were_not_earned() -> None:
    given = [result("train-values"), result("train-peak"), result("fits-all"), result("shard-even")]
    made = put(GROUPS, [*given, result("gather-even", "failed")])
    assert [each["status"] for each in made] == ["passed", "failed", "blocked", "blocked", "passed"]
    assert made[2]["blocked_by"] == ["gather-even"]
    assert (made[2]["earned"], made[3]["blocked_by"]) == (0, ["train-values"])


def test_a_suite_that_trips_over_what_it_needs_is_not_at_fault() -> None:
    made = put(GROUPS[:2], [result("gather-even", "error"), result("shard-even", "failed")])
    assert [each["status"] for each in made] == ["failed", "blocked"]


def test_a_result_that_never_comes_is_a_fault() -> None:
    with pytest.raises(PartFault, match="gather-even"):
        put(GROUPS, [result("shard-even")])


def test_parts_run_at_the_same_time() -> None:
    """Each waits for a word of the other, which a pipe brings."""
    pipes = [os.pipe(), os.pipe()]

    def grade(part: Sequence[Group], keep_alive: Callable[[], None]) -> Generator[Message]:
        mine = part[0].id == "shard-even"
        os.write(pipes[mine][1], b"x")
        os.read(pipes[not mine][0], 1)
        for each in part:
            yield {"event": "criterion", "id": each.id}

    with run(grade) as messages:
        assert {each["id"] for each in messages} == set(ids(GROUPS))
    for pipe in pipes:
        for end in pipe:
            os.close(end)


def test_the_last_part_is_graded_here_and_the_others_in_forks() -> None:
    def grade(part: Sequence[Group], keep_alive: Callable[[], None]) -> Generator[Message]:
        yield {"event": "here", "first": part[0].id, "process": os.getpid()}

    with run(grade) as messages:
        places = {each["first"]: each["process"] == os.getpid() for each in messages}
    assert places == {"shard-even": False, "train-values": True}
    with run(grade, parts=[GROUPS]) as messages:
        assert [each["process"] for each in messages] == [os.getpid()]


def test_what_a_fork_says_is_heard_while_the_last_part_is_graded() -> None:
    """More than waits in a socket, so that the fork could not end before it is heard."""
    done, done_end = os.pipe()
    long = "x" * 2**20

    def grade(part: Sequence[Group], keep_alive: Callable[[], None]) -> Generator[Message]:
        if part[0].id == "shard-even":
            yield {"event": "graded", "text": long}
            os.write(done_end, b"x")
            return
        end = time.monotonic() + PATIENCE_SECONDS
        while not select.select([done], [], [], 0.01)[0]:
            assert time.monotonic() < end, "it waits to be heard"
            yield {"event": "judged"}

    with run(grade) as messages:
        assert [len(each["text"]) for each in messages if each["event"] == "graded"] == [len(long)]
    os.close(done)
    os.close(done_end)


def test_a_part_that_dies_is_a_fault() -> None:
    def grade(part: Sequence[Group], keep_alive: Callable[[], None]) -> Generator[Message]:
        if part[0].id == "shard-even":
            os.kill(os.getpid(), signal.SIGKILL)
        yield from ()

    with run(grade) as messages, pytest.raises(PartFault, match="ended with -9"):
        list(messages)


def test_a_part_that_says_nothing_is_a_fault() -> None:
    def grade(part: Sequence[Group], keep_alive: Callable[[], None]) -> Generator[Message]:
        if part[0].id == "shard-even":
            time.sleep(60)
        yield {"event": "graded"}

    with run(grade, silence=0.5) as messages, pytest.raises(PartFault, match="did not answer"):
        list(messages)


def test_closing_ends_the_parts() -> None:
    def grade(part: Sequence[Group], keep_alive: Callable[[], None]) -> Generator[Message]:
        yield {"event": "started", "process": os.getpid()}
        if part[0].id == "shard-even":
            time.sleep(60)

    with run(grade) as messages:
        forked = {each["process"] for each in islice(messages, 2)} - {os.getpid()}
    for process in forked:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)
    assert len(forked) == 1


@contextlib.contextmanager
def served(answer: Callable[[Channel], None]) -> Iterator[socket.socket]:
    """A connection that a process of its own serves."""
    here, there = socket.socketpair()
    with here, there:
        process = os.fork()
        if process == 0:
            here.close()
            serve(there, answer)
            os._exit(0)
        there.close()
        yield here
        here.close()
        assert os.waitpid(process, 0) == (process, 0)


def test_each_channel_is_answered_by_a_fork_of_its_own_at_the_same_time() -> None:
    def answer(channel: Channel) -> None:
        channel.send("begun", process=os.getpid())
        message = channel.receive()
        assert message is not None
        channel.send("done", seen=message["seed"])

    with served(answer) as connection:
        channels = [connect(connection) for _ in range(3)]
        begun = [channel.receive(PATIENCE_SECONDS) for channel in channels]
        for seed, channel in reversed(list(enumerate(channels))):
            channel.send("grade", seed=seed)
            assert channel.receive(PATIENCE_SECONDS) == {"event": "done", "seen": seed}
            assert channel.receive(PATIENCE_SECONDS) is None
            channel.close()
    assert len({message["process"] for message in begun if message} | {os.getpid()}) == 4


def test_who_is_not_done_ends_with_the_connection() -> None:
    def answer(channel: Channel) -> None:
        channel.send("begun", process=os.getpid())
        time.sleep(60)

    with served(answer) as connection, contextlib.closing(connect(connection)) as channel:
        begun = channel.receive(PATIENCE_SECONDS)
    assert begun is not None
    with pytest.raises(ProcessLookupError):
        os.kill(begun["process"], 0)


def test_who_is_ended_ends_what_it_forked() -> None:
    alive, alive_end = os.pipe()

    def answer(channel: Channel) -> None:
        os.fork()
        os.close(alive)
        os.write(alive_end, b"x")
        time.sleep(60)

    with served(answer) as connection, contextlib.closing(connect(connection)):
        assert os.read(alive, 1) + os.read(alive, 1) == b"xx"
    os.close(alive_end)
    assert select.select([alive], [], [], PATIENCE_SECONDS)[0], "one that goes on holds its end"
    assert os.read(alive, 1) == b""
    os.close(alive)


def test_one_that_nobody_waits_for_any_more_ends_without_a_word(capfd: pytest.CaptureFixture[str]) -> None:
    def answer(channel: Channel) -> None:
        while True:
            channel.send("alive")

    with served(answer) as connection:
        connect(connection).close()
        with contextlib.closing(connect(connection)) as other:
            assert other.receive(PATIENCE_SECONDS) == {"event": "alive"}
    assert capfd.readouterr().err == ""


def test_one_that_fails_says_why(capfd: pytest.CaptureFixture[str]) -> None:
    def answer(channel: Channel) -> None:
        raise ZeroDivisionError

    with served(answer) as connection, contextlib.closing(connect(connection)) as channel:
        assert channel.receive(PATIENCE_SECONDS) is None
    assert "ZeroDivisionError" in capfd.readouterr().err

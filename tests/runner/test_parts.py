"""Parts of one submission: how they are cut, run side by side, and put together again."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal

import pytest

from grader.authoring.criteria import Terms
from grader.runner.channel import Channel, Message
from grader.runner.judge import Group
from grader.runner.parts import PartFault, Results, closure, side_by_side, split

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


def ids(groups: Sequence[Group]) -> list[str]:
    return [each.id for each in groups]


def result(identity: str, status: str = "passed") -> Message:
    return {"id": identity, "status": status}


def run(
    grade: Callable[[Sequence[Group], Channel], None], silence: float = 30.0
) -> contextlib.closing[Iterator[Message]]:  # type: ignore[type-var]
    return contextlib.closing(side_by_side([GROUPS[:2], GROUPS[2:]], grade, silence))


def test_the_function_that_rests_on_most_others_is_a_part_of_its_own() -> None:
    first, second = split(GROUPS)
    assert ids(first) == ["shard-even", "gather-even", "fits-all"]
    assert ids(second) == ["train-values", "train-peak"]


def test_functions_that_rest_on_no_other_are_one_part() -> None:
    assert split((GROUPS[0], GROUPS[4])) == ((GROUPS[0], GROUPS[4]),)


def test_a_choice_of_functions_brings_what_they_need() -> None:
    assert ids(closure(GROUPS, ["gather"])) == ["shard-even", "gather-even"]
    assert closure(GROUPS, []) == GROUPS


def test_results_come_in_the_order_of_the_criteria() -> None:
    results = Results(GROUPS, {})
    given = ["train-values", "train-peak", "shard-even", "fits-all", "gather-even"]
    came = [[each["id"] for each in results.add(result(name))] for name in given]
    assert came == [[], [], ["shard-even"], [], ["gather-even", "train-values", "train-peak", "fits-all"]]
    results.expect_all()


def test_what_was_tried_on_trust_is_blocked_when_its_needs_were_not_earned() -> None:
    results = Results(GROUPS, {"all.py": WRITTEN})
    given = [result("train-values"), result("train-peak"), result("fits-all"), result("shard-even")]
    made = [each for one in [*given, result("gather-even", "failed")] for each in results.add(one)]
    assert [each["status"] for each in made] == ["passed", "failed", "blocked", "blocked", "passed"]
    assert made[2]["blocked_by"] == ["gather-even"]
    assert (made[2]["earned"], made[3]["blocked_by"]) == (0, ["train-values"])


def test_a_suite_that_trips_over_what_it_needs_is_not_at_fault() -> None:
    results = Results(GROUPS[:2], {})
    given = [result("gather-even", "error"), result("shard-even", "failed")]
    assert [each["status"] for one in given for each in results.add(one)] == ["failed", "blocked"]


def test_a_result_that_never_comes_is_a_fault() -> None:
    results = Results(GROUPS, {})
    list(results.add(result("shard-even")))
    with pytest.raises(PartFault, match="gather-even"):
        results.expect_all()


def test_parts_run_at_the_same_time() -> None:
    """Each waits for a word of the other, which a pipe brings."""
    pipes = [os.pipe(), os.pipe()]

    def grade(part: Sequence[Group], channel: Channel) -> None:
        mine = part[0].id == "shard-even"
        os.write(pipes[mine][1], b"x")
        os.read(pipes[not mine][0], 1)
        for each in part:
            channel.send("criterion", id=each.id)

    with run(grade) as messages:
        assert {each["id"] for each in messages} == set(ids(GROUPS))
    for pipe in pipes:
        for end in pipe:
            os.close(end)


def test_a_part_that_dies_is_a_fault() -> None:
    def grade(part: Sequence[Group], channel: Channel) -> None:
        if part[0].id == "shard-even":
            os.kill(os.getpid(), signal.SIGKILL)

    with run(grade) as messages, pytest.raises(PartFault, match="ended with -9"):
        list(messages)


def test_a_part_that_says_nothing_is_a_fault_whatever_the_other_says() -> None:
    def grade(part: Sequence[Group], channel: Channel) -> None:
        while True:
            time.sleep(0.05)
            if part[0].id == "shard-even":
                channel.send("alive")

    with run(grade, silence=0.5) as messages, pytest.raises(PartFault, match="did not answer"):
        list(messages)


def test_closing_ends_the_parts() -> None:
    def grade(part: Sequence[Group], channel: Channel) -> None:
        channel.send("started", process=os.getpid())
        time.sleep(60)

    with run(grade) as messages:
        processes = [next(messages)["process"] for _ in range(2)]
    for process in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)

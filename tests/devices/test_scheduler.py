"""Runs: the order of ranks, hangs and mismatches as tables, failures, output, determinism."""

import contextlib
import gc
import io
import sys
import weakref
from typing import Any

import numpy as np
import pytest

from grader.devices import RANK, Cluster, DeviceArray, DeviceError, Group, per_rank
from grader.devices.errors import GroupError, HangError, MismatchError, UnwaitedError, Where


def rows(error: HangError | MismatchError) -> list[tuple[Any, ...]]:
    return [(row.rank, row.operation, row.shape, row.dtype, row.options) for row in error.rows]


# Order


def test_ranks_run_in_order_and_wake_in_order_of_arrival() -> None:
    cluster = Cluster(4)
    order: list[tuple[str, int]] = []

    def act(rank: int, world: Group) -> None:
        order.append(("a", rank))
        pair = world.split(int(rank in (1, 2)))
        pair.barrier()
        order.append(("b", rank))
        world.barrier()
        order.append(("c", rank))

    cluster.run(act, RANK, cluster.world)
    steps = {step: [rank for at, rank in order if at == step] for step in "abc"}
    assert steps == {
        "a": [0, 1, 2, 3],
        # Rank 3 completes the split and waits for 0, which finds it waiting; so does 2 find 1.
        "b": [0, 2, 3, 1],
        # Rank 1 comes last and goes on; then the others, as they came.
        "c": [1, 0, 2, 3],
    }


def test_ranks_wake_in_order_of_arrival_whatever_their_number() -> None:
    cluster = Cluster(3)
    order: list[int] = []

    def act(rank: int, group: Group) -> None:
        if rank == 0:
            for other in (1, 2):  # so that the others come first
                group.recv(group.device.empty(1), src=other)
        else:
            group.send(group.device.zeros(1), dst=0)
        group.barrier()
        order.append(rank)

    cluster.run(act, RANK, cluster.world)
    assert order == [2, 1, 0]


def test_two_runs_of_one_program_give_the_same_log() -> None:
    def act(rank: int, group: Group) -> DeviceArray:
        x = group.device.zeros(6) + rank
        half = group.split(rank % 2)
        for _ in range(3):
            work = half.all_reduce(x, async_op=True)
            y = np.concatenate([group.device.zeros(2), group.device.empty(2)])
            work.wait()
            y[:2] = x[:2]
            group.all_reduce(y, op="max")
        x.free()
        return y

    logs = []
    for _ in range(2):
        cluster = Cluster(4)
        cluster.run(act, RANK, cluster.world)
        logs.append(cluster.ledger.dump())
    assert logs[0] == logs[1]
    assert len(logs[0].splitlines()) > 60


# Arguments and results


def test_arguments_and_results() -> None:
    cluster = Cluster(3)

    def act(rank: int, x: int, group: Group, *, size: int, each: str) -> tuple[Any, ...]:
        return rank, x, group.rank, size, each

    found = cluster.run(act, RANK, 7, cluster.world, size=3, each=per_rank("abc"))
    assert found == [(0, 7, 0, 3, "a"), (1, 7, 1, 3, "b"), (2, 7, 2, 3, "c")]


def test_a_run_in_a_run_is_refused_but_another_cluster_may_run() -> None:
    cluster, other = Cluster(2), Cluster(2)

    def act(group: Group) -> Any:
        inner = other.run(lambda rank: rank * 10, RANK)
        group.barrier()
        return inner

    assert cluster.run(act, cluster.world) == [[0, 10], [0, 10]]
    with pytest.raises(GroupError, match="inside a run"):
        cluster.run(lambda: cluster.run_each([int, int]))
    assert cluster.run(act, cluster.world) == [[0, 10], [0, 10]]


# Hangs


def test_a_hang_is_a_table() -> None:
    cluster = Cluster(3)
    lines = {}

    def act(group: Group) -> None:
        x = group.device.zeros(4)
        if group.rank == 0:
            lines[0] = sys._getframe().f_lineno + 1
            group.all_reduce(x, op="max")
        elif group.rank == 1:
            lines[1] = sys._getframe().f_lineno + 1
            group.recv(x, src=2)

    with pytest.raises(HangError, match="no rank can go on: each waits for another") as caught:
        cluster.run(act, cluster.world)
    assert rows(caught.value) == [
        (0, "all_reduce", (4,), "float32", "max"),
        (1, "recv", (4,), "float32", "src=2"),
        (2, "returned", None, None, ""),
    ]
    assert [row.where for row in caught.value.rows] == [Where(__file__, lines[0]), Where(__file__, lines[1]), None]
    assert caught.value.rank is None
    assert "rank  waits in        shape  dtype" in str(caught.value)
    assert f"1     recv src=2      (4,)   float32  {__file__}:{lines[1]}" in str(caught.value)


@pytest.mark.parametrize("away", [0, 1, 2])
def test_a_rank_that_does_not_come(away: int) -> None:
    cluster = Cluster(3)
    with pytest.raises(HangError) as caught:
        cluster.run(lambda group: group.rank == away or group.barrier(), cluster.world)
    assert [row.operation for row in caught.value.rows] == [
        "returned" if rank == away else "barrier" for rank in range(3)
    ]


def test_a_rank_that_comes_once_too_often() -> None:
    cluster = Cluster(2)

    def act(group: Group) -> None:
        for _ in range(3 - group.rank):
            group.barrier()

    with pytest.raises(HangError) as caught:
        cluster.run(act, cluster.world)
    assert rows(caught.value)[0][1] == "barrier"
    assert rows(caught.value)[1][1] == "returned"


def test_sends_that_wait_for_each_other() -> None:
    cluster = Cluster(2)

    def act(group: Group) -> None:
        group.send(group.device.zeros(1), dst=1 - group.rank)
        group.recv(group.device.zeros(1), src=1 - group.rank)

    with pytest.raises(HangError) as caught:
        cluster.run(act, cluster.world)
    assert [row[1] for row in rows(caught.value)] == ["send", "send"]


def test_two_groups_in_opposite_order() -> None:
    cluster = Cluster(2)

    def act(world: Group) -> None:
        other = world.split(0)
        for group in (world, other) if world.rank else (other, world):
            group.barrier()

    with pytest.raises(HangError) as caught:
        cluster.run(act, cluster.world)
    assert [row[1] for row in rows(caught.value)] == ["barrier", "barrier"]


def test_a_wait_without_end_of_an_asynchronous_call() -> None:
    cluster = Cluster(2)

    def act(group: Group) -> None:
        work = group.barrier(async_op=True) if group.rank else None
        if work:
            work.wait()

    with pytest.raises(HangError) as caught:
        cluster.run(act, cluster.world)
    assert [row[1] for row in rows(caught.value)] == ["returned", "barrier"]


def test_a_collective_outside_of_a_run() -> None:
    cluster = Cluster(2)
    group = cluster.group(0, 0)
    for _ in range(2):
        with pytest.raises(HangError, match="barrier waits for ranks that did not call it") as caught:
            group.barrier()
        assert rows(caught.value) == [(0, "barrier", None, None, ""), (1, "did not call", None, None, "")]
        assert caught.value.rank == 0
    # By hand, all ranks one after the other:
    arrays = [cluster.devices[rank].zeros(1) + rank for rank in range(2)]
    works = [cluster.group(0, rank).all_reduce(arrays[rank], async_op=True) for rank in range(2)]
    for work in works:
        assert work is not None
        work.wait()
    assert [each.item() for each in arrays] == [1, 1]
    assert cluster.run(lambda group: group.barrier(), cluster.world) == [None, None]
    assert Cluster(1).group(0, 0).barrier() is None


# Mismatches


def two_calls(first: Any, second: Any) -> MismatchError:
    """Ranks 0 and 2 make the first call, rank 1 the second."""
    cluster = Cluster(3)

    def act(group: Group) -> None:
        (second if group.rank == 1 else first)(group, group.device)

    with pytest.raises(MismatchError) as caught:
        cluster.run(act, cluster.world)
    assert caught.value.rank == 1
    assert caught.value.where == Where(__file__, second.__code__.co_firstlineno)
    assert [row.rank for row in caught.value.rows] == [0, 1, 2]
    return caught.value


@pytest.mark.parametrize(
    ("says", "first", "second", "row"),
    [
        (
            "which operation comes next",
            lambda g, d: g.all_reduce(d.zeros(2)),
            lambda g, d: g.broadcast(d.zeros(2), src=0),
            (1, "broadcast", (2,), "float32", "src=0"),
        ),
        (
            "which operation comes next",
            lambda g, d: g.all_reduce(d.zeros(2)),
            lambda g, d: g.barrier(),
            (1, "barrier", None, None, ""),
        ),
        (
            "which operation comes next",
            lambda g, d: g.split(0),
            lambda g, d: g.barrier(),
            (1, "barrier", None, None, ""),
        ),
        (
            "the shape of all_reduce",
            lambda g, d: g.all_reduce(d.zeros(2)),
            lambda g, d: g.all_reduce(d.zeros((1, 2))),
            (1, "all_reduce", (1, 2), "float32", "sum"),
        ),
        (
            "the shape of all_gather_into_tensor",
            lambda g, d: g.all_gather_into_tensor(d.zeros(6), d.zeros(2)),
            lambda g, d: g.all_gather_into_tensor(d.zeros(3), d.zeros(1)),
            (1, "all_gather_into_tensor", (1,), "float32", ""),
        ),
        (
            "the dtype of reduce_scatter_tensor",
            lambda g, d: g.reduce_scatter_tensor(d.zeros(2), d.zeros(6)),
            lambda g, d: g.reduce_scatter_tensor(d.zeros(2, "float64"), d.zeros(6, "float64")),
            (1, "reduce_scatter_tensor", (6,), "float64", "sum"),
        ),
        (
            "the options of all_reduce",
            lambda g, d: g.all_reduce(d.zeros(2), op="sum"),
            lambda g, d: g.all_reduce(d.zeros(2), op="max"),
            (1, "all_reduce", (2,), "float32", "max"),
        ),
        (
            "the options of broadcast",
            lambda g, d: g.broadcast(d.zeros(2), src=0),
            lambda g, d: g.broadcast(d.zeros(2), src=2),
            (1, "broadcast", (2,), "float32", "src=2"),
        ),
    ],
)
def test_mismatch(says: str, first: Any, second: Any, row: tuple[Any, ...]) -> None:
    error = two_calls(first, second)
    assert error.message == f"the ranks do not agree on {says}"
    assert rows(error)[1] == row


@pytest.mark.parametrize(("odd", "named"), [({0}, 0), ({2}, 2), ({1, 2}, 0)])
def test_the_rank_that_differs_from_most_is_named(odd: set[int], named: int) -> None:
    cluster = Cluster(3)
    with pytest.raises(MismatchError) as caught:
        cluster.run(lambda group: group.all_reduce(group.device.zeros(2 if group.rank in odd else 3)), cluster.world)
    assert caught.value.rank == named


def test_a_mismatch_outside_of_a_run_is_over_once_said() -> None:
    cluster = Cluster(2)
    arrays = [device.zeros(2 + device.rank) for device in cluster.devices]
    work = cluster.group(0, 0).all_reduce(arrays[0], async_op=True)
    with pytest.raises(MismatchError):
        cluster.group(0, 1).all_reduce(arrays[1])
    assert work is not None
    work.wait()
    for x in arrays:
        x += 1


def test_swapped_reductions_of_one_shape() -> None:
    """torch's own debug mode misses these."""
    cluster = Cluster(2)

    def act(group: Group) -> None:
        a, b = group.device.zeros(2), group.device.zeros(2)
        for x, op in ((a, "sum"), (b, "max")) if group.rank else ((b, "max"), (a, "sum")):
            group.all_reduce(x, op=op)

    with pytest.raises(MismatchError, match="the options of all_reduce") as caught:
        cluster.run(act, cluster.world)
    assert [row[4] for row in rows(caught.value)] == ["max", "sum"]


def test_swapped_asynchronous_calls() -> None:
    cluster = Cluster(2)

    def act(group: Group) -> None:
        a, b = group.device.zeros(2), group.device.zeros(3)
        works = [group.all_reduce(x, async_op=True) for x in ((a, b) if group.rank else (b, a))]
        for work in works:
            assert work is not None
            work.wait()

    with pytest.raises(MismatchError, match="the shape of all_reduce") as caught:
        cluster.run(act, cluster.world)
    assert [row[2] for row in rows(caught.value)] == [(3,), (2,)]


def test_a_transfer_of_two_shapes() -> None:
    cluster = Cluster(2)

    def act(group: Group) -> None:
        if group.rank:
            group.recv(group.device.zeros(3), src=0)
        else:
            group.send(group.device.zeros(2), dst=1)

    with pytest.raises(MismatchError, match="the shape of send") as caught:
        cluster.run(act, cluster.world)
    assert [row[1:3] for row in rows(caught.value)] == [("send", (2,)), ("recv", (3,))]


def test_a_mismatch_in_a_subgroup_shows_the_subgroup() -> None:
    cluster = Cluster(4)

    def act(world: Group) -> None:
        group = world.split(world.rank % 2)
        if world.rank % 2:
            group.all_reduce(group.device.zeros(world.rank))

    with pytest.raises(MismatchError) as caught:
        cluster.run(act, cluster.world)
    assert [(row[0], row[2]) for row in rows(caught.value)] == [(1, (1,)), (3, (3,))]


# Failures


class Mistake(Exception):
    pass


def test_one_rank_raises_and_the_others_are_cancelled() -> None:
    cluster = Cluster(4)
    ended: list[tuple[int, str]] = []

    def act(group: Group) -> None:
        try:
            if group.rank == 2:
                raise Mistake("here")
            group.barrier()
            ended.append((group.rank, "returned"))
        finally:
            ended.append((group.rank, "ended"))

    with pytest.raises(Mistake, match="here") as caught:
        cluster.run(act, cluster.world)
    assert caught.value.__notes__ == ["on rank 2 of 4"]
    assert ended == [(2, "ended"), (0, "ended"), (1, "ended")]  # rank 3 never began


def test_the_first_cause_is_reported() -> None:
    cluster = Cluster(2)

    def act(group: Group) -> None:
        if group.rank == 1:
            raise Mistake("cause")
        try:
            group.barrier()
        finally:
            raise ValueError("consequence")

    with pytest.raises(Mistake, match="cause"):
        cluster.run(act, cluster.world)


def test_a_rank_that_catches_everything_cannot_stay() -> None:
    cluster = Cluster(2)
    tries: list[str] = []

    def act(group: Group) -> None:
        if group.rank == 1:
            raise Mistake
        for attempt in "ab":
            try:
                group.barrier()
            except BaseException:
                tries.append(attempt)

    with pytest.raises(Mistake):
        cluster.run(act, cluster.world)
    assert tries == ["a", "b"]


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, RecursionError, GeneratorExit])
def test_other_ends_are_raised_too(error: type[BaseException]) -> None:
    cluster = Cluster(2)

    def act(rank: int) -> None:
        if rank:
            raise error

    with pytest.raises(error):
        cluster.run(act, RANK)
    assert cluster.run(lambda rank: rank, RANK) == [0, 1]


@pytest.mark.parametrize("failing", [0, 1, 2])
def test_a_cluster_can_be_used_after_a_failed_run(failing: int) -> None:
    cluster = Cluster(3)

    def fails(group: Group) -> None:
        for step in range(3):
            if step == 2 and group.rank == failing:
                raise Mistake
            group.all_reduce(group.device.zeros(2), async_op=True).wait()  # type: ignore[union-attr]
        group.barrier()

    def works(group: Group) -> float:
        x = group.device.zeros(1) + group.rank
        group.all_reduce(x)
        group.split(group.rank).barrier()
        return x.item()

    for _ in range(3):
        with pytest.raises(Mistake):
            cluster.run(fails, cluster.world)
        assert not cluster.machine.waiting
        assert cluster.run(works, cluster.world) == [3, 3, 3]
    assert gc.isenabled()


def test_an_error_needs_no_collector_to_die() -> None:
    def fails() -> weakref.ref[Mistake]:
        try:
            Cluster(2).run(raises)
        except Mistake as error:
            return weakref.ref(error)
        raise AssertionError

    def raises() -> None:
        raise Mistake

    gc.disable()
    try:
        assert fails()() is None
    finally:
        gc.enable()


def test_work_left_by_a_failed_run_is_forgotten() -> None:
    cluster = Cluster(2)
    kept: list[Any] = []

    def act(group: Group) -> None:
        kept.append(group.all_reduce(group.device.zeros(2), async_op=True))
        if group.rank == 1:
            raise Mistake
        group.barrier()

    with pytest.raises(Mistake):
        cluster.run(act, cluster.world)
    assert len(kept) == 2
    kept.clear()
    assert cluster.run(lambda group: group.barrier(), cluster.world) == [None, None]


# Asynchronous calls


def overlap(act: Any, size: int = 2) -> Any:
    cluster = Cluster(size)
    return cluster.run(act, cluster.world)


@pytest.mark.parametrize("who", [0, 1], ids=["first to come", "last to come"])
@pytest.mark.parametrize(
    ("says", "use"),
    [
        ("add reads", lambda piece, whole: whole + 1),
        ("numpy reads", lambda piece, whole: whole.numpy()),
        ("copy reads", lambda piece, whole: whole[:1].copy()),
        ("copy writes", lambda piece, whole: whole.fill(1)),
        ("copy writes", lambda piece, whole: piece.fill(1)),
        ("add writes", lambda piece, whole: piece.__iadd__(1)),
        ("free writes", lambda piece, whole: piece.free()),
        ("free writes", lambda piece, whole: whole.free()),
    ],
)
def test_what_is_in_flight_is_not_touched(says: str, use: Any, who: int) -> None:
    def act(group: Group) -> None:
        piece, whole = group.device.zeros(2), group.device.zeros(4)
        work = group.all_gather_into_tensor(whole, piece, async_op=True)
        if group.rank == who:
            use(piece, whole)
        assert work is not None
        work.wait()

    with pytest.raises(DeviceError, match=f"{says} an array that an unfinished all_gather_into_tensor uses") as caught:
        overlap(act)
    assert caught.value.rank == who


def test_what_may_be_done_in_flight() -> None:
    def act(group: Group) -> list[Any]:
        x = group.device.zeros(8) + group.rank
        whole = group.device.empty(8)
        left = group.all_reduce(x[:4], async_op=True)
        right = group.all_reduce(x[4:6], op="max", async_op=True)  # another part of the same storage
        gather = group.all_gather_into_tensor(whole, x[6:7].reshape(1), async_op=True) if group.size == 8 else None
        rest = (x[6:] * 2).tolist()
        x[7] = 5
        assert "still being written" in str(x)
        assert "still" not in str(x[6:])
        for work in (right, left, gather):
            if work is not None:
                work.wait()
        return [x.tolist(), rest]

    assert overlap(act)[1] == [[1, 1, 1, 1, 1, 1, 1, 5], [2, 2]]


def test_the_input_may_be_read_in_flight() -> None:
    def act(group: Group) -> list[float]:
        piece, whole = group.device.zeros(2) + group.rank, group.device.zeros(4)
        work = group.all_gather_into_tensor(whole, piece, async_op=True)
        twice = piece * 2
        other = group.device.zeros(4)
        second = group.all_gather_into_tensor(other, piece, async_op=True)
        for each in (work, second):
            assert each is not None
            each.wait()
        return [*twice.tolist(), *other.tolist()]

    assert overlap(act)[1] == [2, 2, 0, 0, 1, 1]


@pytest.mark.parametrize("leave", ["drop", "keep", "return"])
def test_work_without_wait(leave: str) -> None:
    kept: list[Any] = []

    def act(group: Group) -> Any:
        x = group.device.zeros(2)
        work = group.all_reduce(x, async_op=True)
        if leave == "keep":
            kept.append(work)
        if leave == "drop":
            del work
            return group.device.zeros(1)
        return work

    with pytest.raises(UnwaitedError, match=r"the Work of all_reduce was dropped without wait\(\)") as caught:
        overlap(act)
    assert caught.value.rank == 0
    assert caught.value.where is not None


def test_a_work_belongs_to_its_rank() -> None:
    box: dict[str, Any] = {}

    def act(group: Group) -> None:
        if group.rank == 0:
            box["work"] = group.barrier(async_op=True)
            group.split(0)
        else:
            box["work"].wait()

    with pytest.raises(GroupError, match="rank 1 waits for the barrier of rank 0"):
        overlap(act)


def test_a_dropped_work_outside_of_a_run_is_said_once() -> None:
    cluster = Cluster(2)
    x = cluster.devices[0].zeros(2)
    cluster.group(0, 0).all_reduce(x, async_op=True)
    with pytest.raises(UnwaitedError):
        x + 1
    x += 1
    assert cluster.run(lambda group: group.barrier(), cluster.world) == [None, None]


# Output


def test_printed_lines_carry_their_rank(capsys: pytest.CaptureFixture[str]) -> None:
    cluster = Cluster(2)

    def act(group: Group) -> None:
        print("one\ntwo", group.rank)
        print("part", end="")
        group.barrier()
        print(" rest")
        sys.stdout.writelines(["a\n", "b"])

    cluster.run(act, cluster.world)
    print("after")
    assert capsys.readouterr().out.splitlines() == [
        "[rank 0] one",
        "[rank 0] two 0",
        "[rank 0] part",
        "[rank 1] one",
        "[rank 1] two 1",
        "[rank 1] part rest",
        "[rank 1] a",
        "[rank 1] b",
        "[rank 0]  rest",
        "[rank 0] a",
        "[rank 0] b",
        "after",
    ]


def test_the_output_stream_is_like_the_real_one() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")

    def act() -> tuple[Any, ...]:
        sys.stdout.flush()
        return sys.stdout.encoding, sys.stdout.isatty(), sys.stdout.errors, sys.stdout.writable()

    with contextlib.redirect_stdout(stream):
        assert Cluster(1).run(act) == [("utf-8", False, "strict", True)]
        assert sys.stdout is stream


def test_output_is_restored_after_a_failed_run(capsys: pytest.CaptureFixture[str]) -> None:
    before = sys.stdout

    def act() -> None:
        print("x", end="")
        raise Mistake

    with pytest.raises(Mistake):
        Cluster(1).run(act)
    assert sys.stdout is before
    assert capsys.readouterr().out == "[rank 0] x\n"


def test_many_ranks_take_time_in_proportion() -> None:
    """Counted in calls of Python functions, which unlike seconds do not vary."""

    def calls(size: int) -> int:
        cluster = Cluster(size)
        counted = 0

        def act(group: Group) -> None:
            x, whole = group.device.zeros(1), group.device.zeros(size)
            for _ in range(3):
                group.all_reduce(x)
                work = group.all_gather_into_tensor(whole, x, async_op=True)
                assert work is not None
                work.wait()
            group.split(group.rank % 2).barrier()

        def count(*_: Any) -> None:
            nonlocal counted
            counted += 1

        bodies = [lambda rank=rank: act(cluster.group(0, rank)) for rank in range(size)]
        sys.setprofile(count)
        try:
            cluster.run_each(bodies)
        finally:
            sys.setprofile(None)
        return counted

    assert calls(64) < 4.5 * calls(16)

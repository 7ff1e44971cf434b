"""A cluster without data: the same ledger, no values, and a few ranks that stand for all."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.devices import RANK, Cluster, DeviceArray, DeviceError, Group, per_rank
from grader.devices.errors import GroupError, HangError, MismatchError, NoDataError, OutOfMemoryError
from grader.devices.ledger import Allocation, Collective
from grader.devices.operations.elementwise import UFUNCS
from grader.devices.operations.reductions import NAMES

from .device_samples import arrays, upload
from .test_numpy_api import CASES

LIVE = [0, 1, 1023]


def few(ranks: Sequence[int] = LIVE, size: int = 1024, **options: Any) -> Cluster:
    return Cluster(size, materialize=False, ranks=ranks, **options)


# The ranks that run


def test_only_the_named_ranks_run_and_know_the_whole_group() -> None:
    cluster = few()

    def act(rank: int, group: Group, own: str) -> tuple[Any, ...]:
        return rank, group.rank, group.size, group.device.rank, len(group.ranks), own

    found = cluster.run(act, RANK, cluster.world, per_rank(["a", "b", "c"]))
    assert found == [(0, 0, 1024, 0, 1024, "a"), (1, 1, 1024, 1, 1024, "b"), (1023, 1023, 1024, 1023, 1024, "c")]
    assert [device.rank for device in cluster.devices] == LIVE
    assert (cluster.world_size, cluster.ranks) == (1024, (0, 1, 1023))


def test_all_ranks_run_by_default() -> None:
    cluster = Cluster(3, materialize=False)
    assert cluster.run(lambda rank: rank, RANK) == [0, 1, 2]


def test_a_value_for_each_rank_that_runs() -> None:
    with pytest.raises(GroupError, match="4 values for a cluster of 3 live ranks"):
        few().run(lambda x: x, per_rank([1, 2, 3, 4]))


@pytest.mark.parametrize("ranks", [[], [1, 0], [0, 0], [-1], [4], [True], [1.0], ["0"]])
def test_ranks_that_are_none(ranks: Any) -> None:
    with pytest.raises(GroupError, match=r"ranks are one or more of 0 to 3, ascending and each once"):
        few(ranks, 4)


def test_with_data_every_rank_runs() -> None:
    with pytest.raises(GroupError, match="ranks needs materialize=False"):
        Cluster(4, ranks=[0])


# Values


@pytest.mark.parametrize(
    "read",
    [
        lambda x: x.numpy(),
        lambda x: x.tolist(),
        lambda x: x[0].item(),
        lambda x: bool(x[0] > 0),
        lambda x: float(x[0]),
        lambda x: int(x[0]),
        lambda x: x[x.astype("int64")[0]],
        lambda x: f"{x[0]:.2f}",
        lambda x: np.array_equal(x, x),
        lambda x: 1.0 in x,
    ],
)
def test_reading_a_value_says_why_there_is_none_and_what_to_do(read: Callable[[DeviceArray], Any]) -> None:
    cluster = few()
    with pytest.raises(NoDataError, match=r"keeps shapes only; decide by shapes and ranks, or use a cluster") as caught:
        cluster.run(lambda device: read(device.zeros(2)), per_rank(cluster.devices))
    assert caught.value.rank == 0
    assert caught.value.where is not None
    assert caught.value.where.file == __file__
    assert not cluster.ledger.host_copies()


def test_print_shows_what_is_known() -> None:
    x = few().devices[0].zeros((2, 3))
    assert str(x) == "<array of shape (2, 3), float32, without values>"
    x.free()
    assert str(x) == "<freed array of shape (2, 3), float32>"


@pytest.mark.parametrize("dtype", [None, "float32"])
def test_a_host_array_gives_its_shape_without_a_copy(dtype: str | None) -> None:
    device = few(capacity=None).devices[0]
    host = np.zeros(2**20, "float16")
    tracemalloc.start()
    x = device.array(host, dtype)
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert used < 2**16
    assert (x.shape, x.dtype.name) == ((2**20,), dtype or "float16")
    (copy,) = x.machine.ledger.host_copies()
    assert copy.bytes == x.nbytes


def test_what_no_host_could_hold() -> None:
    device = few(capacity=80 * 10**9, flops=None).devices[0]
    x = device.empty((10**5, 6 * 10**4), "float16")
    assert (x.nbytes, device.memory_allocated()) == (12 * 10**9, 12 * 10**9)
    assert (x.T[1:] + 1).shape == (6 * 10**4 - 1, 10**5)
    with pytest.raises(OutOfMemoryError, match="80,000,000,000"):
        device.zeros(4 * 10**10, "float16")
    free = few(capacity=None, flops=None).devices[0]
    y = free.zeros((2**25, 2**25)) @ free.zeros((2**25, 2**25))
    assert (y.shape, free.max_memory_allocated()) == ((2**25, 2**25), 3 * 2**52)


# Collectives


def test_collectives_count_for_the_full_group() -> None:
    cluster = few()

    def act(group: Group) -> None:
        piece, whole = group.device.zeros(2), group.device.empty(2048)
        group.all_gather_into_tensor(whole, piece)
        group.reduce_scatter_tensor(piece, whole, op="avg")
        group.all_reduce(whole)
        group.broadcast(piece, src=500)
        group.barrier()

    cluster.run(act, cluster.world)
    sent = {
        "all_gather_into_tensor": 1023 * 8, "reduce_scatter_tensor": 1023 * 8, "all_reduce": 2 * 1023 * 8,
        "broadcast": 8, "barrier": 0,
    }  # fmt: skip
    for name, expected in sent.items():
        assert [cluster.ledger.bytes_sent(rank, name) for rank in LIVE] == [expected] * 3
    for event in cluster.ledger.collectives():
        assert [share.rank for share in event.shares] == LIVE


def test_outputs_have_the_size_for_the_full_group() -> None:
    cluster = few()
    with pytest.raises(DeviceError, match="needs 1024 x 2 elements"):
        cluster.run(
            lambda group: group.all_gather_into_tensor(group.device.empty(6), group.device.zeros(2)), cluster.world
        )


def test_live_ranks_wait_for_one_another_and_for_nobody_else() -> None:
    cluster = few()
    order: list[int] = []

    def act(group: Group) -> int:
        order.append(group.rank)
        group.barrier()
        return len(order)

    assert cluster.run(act, cluster.world) == [3, 3, 3]
    with pytest.raises(HangError) as caught:
        cluster.run(lambda group: group.barrier() if group.rank else None, cluster.world)
    assert [row.rank for row in caught.value.rows] == LIVE
    with pytest.raises(MismatchError):
        cluster.run(lambda group: group.all_reduce(group.device.zeros(1 + group.rank % 2)), cluster.world)


def test_a_peer_that_does_not_run_counts_as_there() -> None:
    cluster = few([1], 4)

    def act(group: Group) -> None:
        x = group.device.zeros(3)
        group.send(x, dst=2)
        work = group.recv(x, src=0, async_op=True)
        work.wait()

    cluster.run(act, cluster.world)
    assert cluster.ledger.bytes_sent(1) == 12
    with pytest.raises(HangError):
        few([1, 2], 4).run(lambda group: group.send(group.device.zeros(1), dst=2), per_rank(_world(few([1, 2], 4))))


def _world(cluster: Cluster) -> list[Group]:
    return [cluster.group(0, rank) for rank in cluster.ranks]


def test_colors_of_ranks_that_do_not_run_are_a_function() -> None:
    cluster = few([0, 9, 1023])

    def act(group: Group) -> tuple[Any, ...]:
        node = group.split(lambda rank: rank // 8)
        across = group.split(lambda rank: rank % 8)
        x = group.device.zeros(16)
        node.all_reduce(x)
        return node.ranks, node.rank, across.size, across.rank

    first, second, last = cluster.run(act, cluster.world)
    assert first == (tuple(range(8)), 0, 128, 0)
    assert second == (tuple(range(8, 16)), 1, 128, 1)
    assert last == (tuple(range(1016, 1024)), 7, 128, 127)
    assert cluster.ledger.bytes_sent(9) == 2 * 7 * 8
    assert [len(event.shares) for event in cluster.ledger.collectives("all_reduce")] == [1, 1, 1]


def test_a_color_as_a_number_says_nothing_of_ranks_that_do_not_run() -> None:
    cluster = few()
    with pytest.raises(GroupError, match=r"1024 ranks, of which 3 run.*split\(lambda rank: rank // 8\)") as caught:
        cluster.run(lambda group: group.split(group.rank // 8), cluster.world)
    assert caught.value.where is not None
    whole = Cluster(4, materialize=False)
    assert whole.run(lambda group: group.split(group.rank // 2).ranks, whole.world) == [(0, 1)] * 2 + [(2, 3)] * 2


@pytest.mark.parametrize(
    "split", [lambda group: group.split(lambda rank: group.rank), lambda group: group.split(abs if group.rank else 0)]
)
def test_ranks_agree_on_the_colors(split: Callable[[Group], Group]) -> None:
    cluster = Cluster(2)
    with pytest.raises(MismatchError, match="do not agree on the colors of split"):
        cluster.run(split, cluster.world)


def test_a_split_by_function_gives_the_groups_of_a_split_by_number() -> None:
    cluster = Cluster(6)
    by_number = cluster.run(lambda group: group.split(group.rank % 4 // 2).split(group.rank).ranks, cluster.world)
    by_function = cluster.run(
        lambda group: group.split(lambda rank: rank % 4 // 2).split(group.rank).ranks, cluster.world
    )
    assert by_number == by_function


# The same ledger, with and without data


def outcome(cluster: Cluster, function: Callable[..., Any], *arguments: Any) -> str:
    """The ledger of a run, or the error that ended it."""
    try:
        cluster.run(function, *arguments)
    except DeviceError as error:
        return f"{type(error).__name__}: {error}"
    return cluster.ledger.dump()


def same_with_and_without_data(form: Callable[[DeviceArray], Any], host: np.ndarray) -> None:
    def act(device: Any) -> None:
        x = upload(device, host)
        form(x)

    kept, bare = Cluster(1), Cluster(1, materialize=False)
    expected = outcome(kept, act, per_rank(kept.devices))
    # What NumPy refuses for the values alone is not refused where there are none.
    if " failed: " not in expected:
        assert outcome(bare, act, per_rank(bare.devices)) == expected


@pytest.mark.parametrize("form", [form for _, form in CASES], ids=[function.__name__ for function, _ in CASES])
@settings(max_examples=6)
@given(x=arrays())
def test_functions(form: Callable[[DeviceArray], Any], x: np.ndarray) -> None:
    same_with_and_without_data(form, x)


@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda ufunc: ufunc.__name__)
@settings(max_examples=6)
@given(x=arrays())
def test_ufuncs(ufunc: np.ufunc, x: np.ndarray) -> None:
    same_with_and_without_data(lambda x: ufunc(*[x] * ufunc.nin), x)


@pytest.mark.parametrize("name", [*NAMES, "cumsum"])
@settings(max_examples=6)
@given(x=arrays(), axis=st.none() | st.integers(-3, 3))
def test_reductions(name: str, x: np.ndarray, axis: int | None) -> None:
    same_with_and_without_data(lambda x: getattr(x, name)(axis=axis), x)


@settings(max_examples=20)
@given(x=arrays(shapes=st.tuples(st.integers(0, 3), st.integers(0, 3))))
def test_products_and_writes(x: np.ndarray) -> None:
    def act(x: DeviceArray) -> None:
        y = x @ x.T
        y[:1] = y[:1] + 1
        y += 1
        del y
        x.free()

    same_with_and_without_data(act, x)


COLLECTIVES = (
    "all_gather_into_tensor", "reduce_scatter_tensor", "all_reduce", "broadcast", "barrier", "split", "ring",
)  # fmt: skip
steps = st.lists(
    st.tuples(st.sampled_from(COLLECTIVES), st.integers(0, 3), st.booleans(), st.sampled_from(["float16", "float64"])),
    max_size=8,
)


def program(group: Group, steps: Iterable[tuple[str, int, bool, str]]) -> None:
    """Collectives that every rank calls alike; those that are asynchronous are waited for at the end."""
    device, works, kept = group.device, [], []
    for name, number, async_op, dtype in steps:
        piece, whole = device.zeros(number, dtype), device.zeros(number * group.size, dtype)
        kept += [piece, whole]
        if name == "all_gather_into_tensor":
            works.append(group.all_gather_into_tensor(whole, piece, async_op=async_op))
        elif name == "reduce_scatter_tensor":
            works.append(group.reduce_scatter_tensor(piece, whole, op="max", async_op=async_op))
        elif name == "all_reduce":
            works.append(group.all_reduce(whole, op="avg", async_op=async_op))
        elif name == "broadcast":
            works.append(group.broadcast(piece, src=number % group.size, async_op=async_op))
        elif name == "barrier":
            works.append(group.barrier(async_op=async_op))
        elif name == "split":
            part = group.split(lambda rank, number=number: rank % (number + 1))
            part.all_reduce(whole)
        elif group.size > 1:
            send = group.send(piece, dst=(group.rank + 1) % group.size, async_op=True)
            other = device.empty(number, dtype)
            group.recv(other, src=(group.rank - 1) % group.size)
            send.wait()
    for work in works:
        if work is not None:
            work.wait()


@settings(max_examples=60)
@given(size=st.integers(1, 4), steps=steps)
def test_collectives(size: int, steps: Any) -> None:
    kept, bare = Cluster(size), Cluster(size, materialize=False)
    assert outcome(kept, program, kept.world, steps) == outcome(bare, program, bare.world, steps)
    assert not steps or "Allocation" in kept.ledger.dump()


def events_of(cluster: Cluster, rank: int) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """Memory and collectives of one rank, in words that do not depend on what the others did.

    When an asynchronous collective is complete does depend on them.
    """
    numbers: dict[int, int] = {}
    memory: list[tuple[Any, ...]] = []
    collectives: list[tuple[Any, ...]] = []
    for event in cluster.ledger.events:
        if isinstance(event, Collective):
            share = event.share(rank)
            if share is not None:
                # Of a transfer, the end that sends gives its name, if that end runs.
                name = "" if event.operation in ("send", "recv") else (event.operation, event.options)
                used = tuple(numbers[each] for each in (*share.inputs, *share.outputs))
                members = cluster.machine.groups[event.group]
                collectives.append((name, members, event.dtype, event.asynchronous, share.sent, share.shape, used))
        elif event.rank == rank:
            if isinstance(event, Allocation):
                numbers[event.storage] = len(numbers)
            number = numbers[event.storage] if hasattr(event, "storage") else None
            memory.append((type(event).__name__, event.bytes, number, event.where))
    return memory, collectives


@settings(max_examples=60)
@given(data=st.data(), size=st.integers(1, 6), steps=steps)
def test_some_ranks_do_what_they_do_among_all(data: st.DataObject, size: int, steps: Any) -> None:
    ranks = sorted(data.draw(st.sets(st.integers(0, size - 1), min_size=1)))
    full, some = Cluster(size), few(ranks, size)
    full.run(program, full.world, steps)
    some.run(program, some.world, steps)
    for rank in ranks:
        assert events_of(full, rank) == events_of(some, rank)
    assert [device.max_memory_allocated() for device in some.devices] == [
        full.devices[rank].max_memory_allocated() for rank in ranks
    ]

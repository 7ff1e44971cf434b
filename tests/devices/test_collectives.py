"""Each collective: what it leaves on every rank, and the bytes that the ledger has for each."""

from typing import Any

import numpy as np
import pytest

from grader.devices import RANK, Cluster, DeviceArray, Group, NumpyBack, per_rank
from grader.devices.collectives import Call, methods, rules
from grader.devices.errors import GroupError, UnsupportedError

SIZES = [1, 2, 3, 4, 8]


def run(size: int, act: Any) -> tuple[Cluster, list[Any]]:
    cluster = Cluster(size)
    return cluster, cluster.run(act, cluster.world)


def numbers(group: Group, shape: tuple[int, ...], dtype: str = "float64") -> DeviceArray:
    """Different on each rank: element i of rank r is 100 r + i."""
    host = np.arange(np.prod(shape, dtype=int), dtype=dtype).reshape(shape)
    return group.device.array(host + np.asarray(100 * group.rank, dtype))


def host_numbers(size: int, shape: tuple[int, ...], dtype: str = "float64") -> list[np.ndarray]:
    return run(size, lambda group: numbers(group, shape, dtype).numpy())[1]


def sent(cluster: Cluster, operation: str | None = None) -> list[int]:
    return [cluster.ledger.bytes_sent(rank, operation) for rank in range(cluster.world_size)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("shape", [(), (5,), (2, 3), (0,), (0, 4)])
@pytest.mark.parametrize("dtype", ["float64", "float16", "int8", "bool"])
def test_all_gather(size: int, shape: tuple[int, ...], dtype: str) -> None:
    def act(group: Group) -> DeviceArray:
        piece = numbers(group, shape, "float64").astype(dtype)
        whole = group.device.empty((size, *shape), dtype)
        group.all_gather_into_tensor(whole, piece)
        return whole

    cluster, found = run(size, act)
    expected = np.stack([each.astype(dtype) for each in host_numbers(size, shape)])
    for each in found:
        np.testing.assert_array_equal(each.numpy(), expected)
    assert sent(cluster) == [(size - 1) * expected[0].nbytes] * size


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("op", ["sum", "avg", "max", "min"])
@pytest.mark.parametrize("shape", [(), (3,), (0,), (2, 2)])
def test_reduce_scatter(size: int, op: str, shape: tuple[int, ...]) -> None:
    def act(group: Group) -> DeviceArray:
        whole = numbers(group, (size, *shape))
        piece = group.device.empty(shape, "float64")
        group.reduce_scatter_tensor(piece, whole, op=op)
        return piece

    cluster, found = run(size, act)
    reduction = {"sum": np.sum, "avg": np.mean, "max": np.max, "min": np.min}[op]
    expected = reduction(np.stack(host_numbers(size, (size, *shape))), axis=0)
    for rank, each in enumerate(found):
        np.testing.assert_array_equal(each.numpy(), expected[rank])
    assert sent(cluster) == [(size - 1) * found[0].nbytes] * size


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("op", ["sum", "avg", "max", "min"])
@pytest.mark.parametrize("count", [0, 1, 7, 8])
def test_all_reduce(size: int, op: str, count: int) -> None:
    def act(group: Group) -> DeviceArray:
        x = numbers(group, (count,))
        group.all_reduce(x, op=op)
        return x

    cluster, found = run(size, act)
    reduction = {"sum": np.sum, "avg": np.mean, "max": np.max, "min": np.min}[op]
    expected = reduction(np.stack(host_numbers(size, (count,))), axis=0)
    for each in found:
        np.testing.assert_array_equal(each.numpy(), expected)
    padded = -(-count // size) * size * 8
    assert sent(cluster) == [2 * (size - 1) * padded // size] * size


def test_reductions_stay_in_their_dtype() -> None:
    def act(group: Group) -> list[Any]:
        x = group.device.array(np.int8([100]))
        group.all_reduce(x)
        y = group.device.array(np.float16([2048]))
        group.all_reduce(y)
        return [x.item(), y.item(), x.dtype.name, y.dtype.name]

    assert run(2, act)[1] == [[-56, 4096.0, "int8", "float16"]] * 2


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("src", [0, -1])
def test_broadcast(size: int, src: int) -> None:
    root = src % size

    def act(group: Group) -> DeviceArray:
        x = numbers(group, (3,))
        group.broadcast(x, src=root)
        return x

    cluster, found = run(size, act)
    for each in found:
        np.testing.assert_array_equal(each.numpy(), [100 * root, 100 * root + 1, 100 * root + 2])
    last = (root - 1) % size
    assert sent(cluster) == [0 if rank == last else 24 for rank in range(size)]


def test_send_and_receive() -> None:
    def act(group: Group) -> list[Any]:
        x = numbers(group, (2,))
        # A ring: even ranks send first.
        after, before = (group.rank + 1) % group.size, (group.rank - 1) % group.size
        y = group.device.empty(2, "float64")
        if group.rank % 2:
            group.recv(y, src=before)
            group.send(x, dst=after)
        else:
            group.send(x, dst=after)
            group.recv(y, src=before)
        return y.tolist()

    cluster, found = run(4, act)
    assert found == [[300, 301], [0, 1], [100, 101], [200, 201]]
    assert sent(cluster) == [16] * 4
    for event in cluster.ledger.collectives():
        assert event.operation == "send"
        assert [share.rank for share in event.shares] == sorted(share.rank for share in event.shares)
        assert sorted(share.sent for share in event.shares) == [0, 16]


def test_transfers_of_two_pairs_match_each_their_own() -> None:
    def act(group: Group) -> list[float] | None:
        if group.rank < 2:
            first = group.send(group.device.zeros(1) + group.rank, dst=2, async_op=True)
            second = group.send(group.device.zeros(1) + group.rank + 10, dst=2, async_op=True)
            second.wait()
            first.wait()
            return None
        found = [group.device.empty(1) for _ in range(4)]
        for x, src in zip(found, (1, 0, 0, 1), strict=True):
            group.recv(x, src=src)
        return [x.item() for x in found]

    assert run(3, act)[1][2] == [1, 0, 10, 11]


def test_barrier_sends_nothing_and_waits() -> None:
    order: list[int] = []

    def act(group: Group) -> int:
        order.append(group.rank)
        group.barrier()
        return len(order)

    cluster, found = run(3, act)
    assert found == [3, 3, 3]
    assert sent(cluster) == [0, 0, 0]


def test_split() -> None:
    def act(group: Group, color: int) -> Any:
        part = group.split(color)
        x = numbers(part, (1,))
        part.all_reduce(x)
        inner = part.split(0)
        return part.ranks, part.rank, part.size, x.item(), inner.ranks

    cluster = Cluster(5)
    found = cluster.run(act, cluster.world, per_rank([7, -1, 7, 7, -1]))
    assert found[0] == ((0, 2, 3), 0, 3, 300.0, (0, 2, 3))
    assert found[4] == ((1, 4), 1, 2, 100.0, (1, 4))
    assert sent(cluster, "all_reduce") == [32, 16, 32, 32, 16]
    groups = {event.group for event in cluster.ledger.collectives("all_reduce")}
    assert groups == {1, 2}


def test_two_levels_have_the_world_and_parts_side_by_side() -> None:
    def act(group: Group) -> list[float]:
        row, column = group.split(group.rank // 2), group.split(group.rank % 2)
        x = group.device.zeros(1) + 10.0**group.rank
        row.all_reduce(x)
        group.barrier()
        column.all_reduce(x)
        return x.item()

    assert run(4, act)[1] == [1111.0] * 4


def test_collectives_of_views_and_in_place() -> None:
    def act(group: Group) -> Any:
        whole = group.device.zeros((2, 3), "float64")
        mine = whole[group.rank]
        mine += group.rank + 1
        group.all_gather_into_tensor(whole, mine)
        gathered = whole.tolist()
        group.reduce_scatter_tensor(whole[group.rank], whole)
        return gathered, whole[group.rank].tolist()

    for rank, (gathered, mine) in enumerate(run(2, act)[1]):
        assert gathered == [[1, 1, 1], [2, 2, 2]]
        assert mine == [2.0 * (rank + 1)] * 3


def test_ranks_do_not_share_memory_after_a_collective() -> None:
    def act(group: Group) -> list[float]:
        whole = group.device.empty(2)
        group.all_gather_into_tensor(whole, group.device.zeros(1) + group.rank)
        whole += 10 * group.rank
        group.barrier()
        return whole.tolist()

    assert run(2, act)[1] == [[0, 1], [10, 11]]


@pytest.mark.parametrize("size", SIZES)
def test_asynchronous_collectives_give_the_same(size: int) -> None:
    def act(group: Group, async_op: bool) -> Any:
        device = group.device
        piece, whole = device.zeros(2) + group.rank, device.empty(2 * size)
        works = [
            group.all_gather_into_tensor(whole, piece, async_op=async_op),
            group.all_reduce(totals := device.zeros(3) + 1, op="sum", async_op=async_op),
            group.broadcast(rooted := device.zeros(1) + group.rank, src=size - 1, async_op=async_op),
            group.reduce_scatter_tensor(part := device.empty(1), device.zeros(size) + 1, async_op=async_op),
            group.barrier(async_op=async_op),
        ]
        for work in reversed(works):
            assert (work is not None) is async_op
            if work is not None:
                work.wait()
                work.wait()
        return [each.tolist() for each in (whole, totals, rooted, part)]

    cluster, other = Cluster(size), Cluster(size)
    assert cluster.run(act, cluster.world, True) == other.run(act, other.world, False)
    assert sent(cluster) == sent(other)
    assert all(event.asynchronous for event in cluster.ledger.collectives())


@pytest.mark.parametrize("size", SIZES)
def test_world_size_one_and_more_give_the_mean(size: int) -> None:
    cluster = Cluster(size)

    def act(rank: int, group: Group) -> float:
        x = group.device.zeros(1) + rank
        group.all_reduce(x, op="avg")
        return x.item()

    assert cluster.run(act, RANK, cluster.world) == [(size - 1) / 2] * size


def test_every_collective_is_a_method_and_tried() -> None:
    assert set(rules()) == {*methods(), "split"}
    assert set(methods()) == {
        "all_gather_into_tensor", "all_reduce", "barrier", "broadcast", "recv", "reduce_scatter_tensor", "send",
    }  # fmt: skip


def test_a_collective_without_data() -> None:
    from grader.devices import Back

    cluster = Cluster(3, back=Back())

    def act(group: Group) -> tuple[int, ...]:
        whole = group.device.empty(6)
        group.all_gather_into_tensor(whole, group.device.zeros(2))
        return whole.shape

    assert cluster.run(act, cluster.world) == [(6,)] * 3
    assert sent(cluster) == [16] * 3


@pytest.mark.parametrize(
    "act",
    [
        lambda group, x: group.all_reduce(x, op=None),
        lambda group, x: group.all_reduce(x, op=np.add),
        lambda group, x: group.reduce_scatter_tensor(x, x, op=1),
        lambda group, x: group.broadcast(x, src="0"),
        lambda group, x: group.send(x, dst=1.0),
    ],
)
def test_a_wrong_parameter_is_refused_before_the_back_hears_of_the_call(act: Any) -> None:
    heard = []

    class Listening(NumpyBack):
        def issue(self, call: Call) -> None:
            heard.append(call)

    cluster = Cluster(2, back=Listening())
    with pytest.raises((UnsupportedError, GroupError)):
        cluster.run(lambda group: act(group, group.device.zeros(2)), cluster.world)
    assert not heard

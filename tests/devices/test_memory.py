"""Memory: what is allocated, the peak, and when a storage goes back, to the byte."""

import gc
import sys
import weakref
from typing import Any

import numpy as np
import pytest

from grader.devices import RANK, Back, Cluster, DeviceArray, Group
from grader.devices.backs import poison
from grader.devices.errors import OutOfMemoryError
from grader.devices.ledger import Allocation, Release


@pytest.fixture
def cluster() -> Cluster:
    return Cluster(1)


def test_what_nothing_holds_has_no_data_any_more_even_if_its_cluster_is_gone_first() -> None:
    """A cluster's parts hold one another, so they wait for the collector, which finds none of this."""
    cluster = Cluster(1)
    array = cluster.devices[0].zeros(4)
    data = weakref.ref(array.storage.data)
    gc.disable()
    try:
        del cluster, array
        assert data() is None
    finally:
        gc.enable()


def test_the_peak_is_that_of_what_is_alive_at_once(cluster: Cluster) -> None:
    device = cluster.devices[0]
    x = device.zeros(100)  # 400
    y = x + 1  # 800
    del x  # 400
    z = device.empty(10)  # 440
    assert (device.memory_allocated(), device.max_memory_allocated()) == (440, 800)
    device.reset_peak_memory_stats()
    assert device.max_memory_allocated() == 440
    y = y * 2  # both are alive until the name is bound anew
    assert (device.memory_allocated(), device.max_memory_allocated()) == (440, 840)
    y *= 2
    y[3:] += 1
    assert device.max_memory_allocated() == 840
    assert cluster.ledger.peak(0) == 840
    del y, z
    assert device.memory_allocated() == 0


def test_temporaries_live_as_long_as_python_needs_them(cluster: Cluster) -> None:
    device = cluster.devices[0]
    x = device.zeros(100)
    device.reset_peak_memory_stats()
    y = x * 2 + x * 3  # three temporaries, of which the last stays
    assert device.max_memory_allocated() == 4 * 400
    device.reset_peak_memory_stats()
    del y
    kept = (x + 1).sum()
    assert device.max_memory_allocated() == 804
    assert device.memory_allocated() == 400 + kept.nbytes


def test_views_keep_storage_alive(cluster: Cluster) -> None:
    device = cluster.devices[0]
    view = device.zeros((10, 10))[3:4].T
    assert view.nbytes == 40
    assert device.memory_allocated() == 400
    assert not view.is_freed
    del view
    assert device.memory_allocated() == 0


def test_free_gives_back_under_views(cluster: Cluster) -> None:
    device = cluster.devices[0]
    x = device.zeros(100)
    view = x[:10]
    view.free()
    assert x.is_freed
    assert view.is_freed
    assert device.memory_allocated() == 0
    assert x.storage.data is None
    del x, view
    assert device.memory_allocated() == 0
    releases = [event for event in cluster.ledger.events if isinstance(event, Release)]
    assert [(event.bytes, event.freed) for event in releases] == [(400, True)]
    assert releases[0].where is not None


def test_drops_are_in_the_ledger_in_order_before_the_next_operation(cluster: Cluster) -> None:
    device = cluster.devices[0]
    a, b, c = (device.zeros(size) for size in (1, 2, 3))
    del b
    del a
    d = c + 1
    del c, d
    kinds = [(type(event).__name__, event.storage) for event in cluster.ledger.events]  # type: ignore[union-attr]
    assert kinds == [
        ("Allocation", 1),
        ("Allocation", 2),
        ("Allocation", 3),
        ("Release", 2),
        ("Release", 1),
        ("Allocation", 4),
        ("Release", 3),
        ("Release", 4),
    ]


@pytest.mark.parametrize("dtype", ["float16", "float64", "int8", "uint16", "bool"])
def test_new_memory_is_poisoned(dtype: str) -> None:
    x = Cluster(1).devices[0].empty(3, dtype)
    np.testing.assert_array_equal(x.numpy(), np.full(3, poison(np.dtype(dtype)), dtype))
    if x.dtype.kind == "f":
        assert np.isnan((x * 0).numpy()).all()


def test_capacity() -> None:
    device = Cluster(1, capacity=1000).devices[0]
    x = device.zeros(200)
    with pytest.raises(OutOfMemoryError, match=r"add of shape \(200,\), float32, needs 800 bytes; 200 of 1,000 are"):
        x + 1
    x += 1
    y = x[:50].copy()
    with pytest.raises(OutOfMemoryError):
        device.zeros(1, "int8")
    x.free()
    assert (x.is_freed, y.sum().item(), device.memory_allocated()) == (True, 50.0, 200)
    assert device.max_memory_allocated() == 1000


def test_each_device_has_memory_of_its_own() -> None:
    cluster = Cluster(3)
    kept = cluster.run(lambda rank, group: group.device.zeros(rank), RANK, cluster.world)
    assert [device.memory_allocated() for device in cluster.devices] == [0, 4, 8]
    del kept
    assert [device.memory_allocated() for device in cluster.devices] == [0, 0, 0]


def test_a_cycle_is_collected_at_the_end_of_the_run() -> None:
    cluster = Cluster(2)

    def act(group: Group) -> int:
        cycle: list[Any] = [group.device.zeros(100)]
        cycle.append(cycle)
        del cycle
        assert not gc.isenabled()
        return group.device.memory_allocated()

    assert cluster.run(act, cluster.world) == [400, 400]
    assert [device.memory_allocated() for device in cluster.devices] == [0, 0]
    assert gc.isenabled()


class Mistake(Exception):
    pass


def raises(group: Group) -> None:
    raise Mistake


def raises_in_a_chain(group: Group) -> None:
    try:
        inner(group.device.zeros(7))
    except Mistake as error:
        raise ValueError from error


def inner(x: DeviceArray) -> None:
    y = x + 1
    raise Mistake(str(y.shape))


def misuses(group: Group) -> None:
    x = group.device.zeros(100)
    x[:3] + x[:2]


def hangs(group: Group) -> None:
    if group.rank:
        group.recv(group.device.zeros(100), src=0)


def disagrees(group: Group) -> None:
    group.all_reduce(group.device.zeros(group.rank + 1), async_op=True).wait()  # type: ignore[union-attr]


def exits(group: Group) -> None:
    sys.exit("done")


def cycles(group: Group) -> None:
    try:
        inner(group.device.zeros(3))
    except Mistake as error:
        group_error = error
        group_error.itself = group_error  # type: ignore[attr-defined]
        raise


@pytest.mark.parametrize(
    "fail", [raises, raises_in_a_chain, misuses, hangs, disagrees, exits, cycles], ids=lambda fail: fail.__name__
)
def test_a_failed_run_leaves_nothing_alive(fail: Any) -> None:
    cluster = Cluster(3)

    def act(group: Group) -> DeviceArray | None:
        x = group.device.zeros(100)
        y = x[3:]
        work = group.all_reduce(x, async_op=True)
        assert work is not None
        work.wait()
        z = group.device.zeros(2)
        flying = group.all_reduce(z, async_op=True)
        if group.rank == 1:
            return x
        fail(group)
        flying.wait()  # type: ignore[union-attr]
        return y

    def simple(group: Group) -> DeviceArray:
        x = group.device.zeros(100)
        fail(group)
        return x

    for each in (act, simple):
        with pytest.raises(BaseException) as caught:  # noqa: PT011
            cluster.run(each, cluster.world)
        assert [device.memory_allocated() for device in cluster.devices] == [0, 0, 0], caught
        assert cluster.ledger.live(0) == ()


def test_a_failed_run_leaves_its_arguments_alive() -> None:
    cluster = Cluster(1)
    x = cluster.devices[0].zeros(4)
    with pytest.raises(Mistake):
        cluster.run(lambda x, group: raises(group), x, cluster.world)
    assert cluster.devices[0].memory_allocated() == 16
    assert x.tolist() == [0, 0, 0, 0]


def test_collectives_hold_arrays_no_longer_than_needed() -> None:
    cluster = Cluster(2)

    def act(group: Group) -> list[int]:
        device = group.device
        whole = device.empty(200)
        work = group.all_gather_into_tensor(whole, device.zeros(100), async_op=True)
        found = [device.memory_allocated()]  # the piece is the call's until wait()
        assert work is not None
        work.wait()
        found.append(device.memory_allocated())
        group.all_reduce(device.zeros(50))
        found.append(device.memory_allocated())
        return found

    assert cluster.run(act, cluster.world) == [[1200, 800, 800]] * 2


def test_memory_is_the_same_without_data() -> None:
    def act(group: Group) -> tuple[int, ...]:
        x = group.device.zeros((10, 10))
        whole = group.device.empty((group.size * 10, 10))
        group.all_gather_into_tensor(whole, x)
        y = np.concatenate([whole[:5], x @ x]).T.reshape(-1) + x[0, 0]
        x.free()
        return group.device.memory_allocated(), group.device.max_memory_allocated(), y.nbytes

    logs = []
    for back in (None, Back()):
        cluster = Cluster(3, back=back)
        found = cluster.run(act, cluster.world)
        logs.append((found, cluster.ledger.dump()))
    assert logs[0] == logs[1]


def test_the_ledger_and_the_devices_agree() -> None:
    cluster = Cluster(2)
    random = np.random.default_rng(1)

    def act(rank: int, group: Group) -> None:
        kept: list[DeviceArray] = []
        for step in range(60):
            match int(random.integers(5)):
                case 0:
                    kept.append(group.device.zeros(int(random.integers(50))))
                case 1 if kept and not kept[-1].is_freed:
                    kept.append(kept[-1] + 1)
                case 2 if kept:
                    kept.pop(int(random.integers(len(kept))))
                case 3 if kept:
                    each = kept.pop()
                    if not each.is_freed:
                        each.free()
                case _ if kept:
                    kept.append(kept[0][1:])
            alive = {id(each.storage): each.storage for each in kept if not each.is_freed}
            assert group.device.memory_allocated() == sum(each.nbytes for each in alive.values()), step
        kept.clear()

    cluster.run(act, RANK, cluster.world)
    for rank, device in enumerate(cluster.devices):
        assert cluster.ledger.peak(rank) == device.max_memory_allocated()
        assert cluster.ledger.live(rank) == ()
        assert sum(isinstance(event, Allocation) for event in cluster.ledger.events) > 10

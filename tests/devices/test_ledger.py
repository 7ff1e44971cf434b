"""The ledger: every event, and the questions that are asked of it."""

import numpy as np
import pytest

from grader.devices import Back, Cluster, Group, Ledger
from grader.devices.errors import Where
from grader.devices.ledger import Allocation, Collective, HostCopy, Release, Share


def test_every_act_is_an_event_with_its_line() -> None:
    cluster = Cluster(1)
    device = cluster.devices[0]
    x = device.array(np.arange(3.0))
    y = x + 1
    y.numpy()
    y.free()
    assert [type(event).__name__ for event in cluster.ledger.events] == [
        "Allocation",
        "HostCopy",
        "Allocation",
        "HostCopy",
        "Release",
    ]
    up, down = cluster.ledger.host_copies()
    assert (up.bytes, up.to_host, up.operation) == (24, False, "array")
    assert (down.bytes, down.to_host, down.operation) == (24, True, "numpy")
    lines = [event.where.line for event in cluster.ledger.events if event.where]  # type: ignore[union-attr]
    assert [line - lines[0] for line in lines] == [0, 0, 1, 2, 3]
    assert [event.operation for event in cluster.ledger.events if isinstance(event, Allocation)] == ["array", "add"]


def test_where_nobody_asks_memory_is_counted_and_no_event_is_kept() -> None:
    class Forgetful(Back):
        keeps_events = False

    cluster = Cluster(2, back=Forgetful())
    cluster.run(lambda group: group.all_reduce(group.device.zeros(4)), cluster.world)
    assert cluster.ledger.events == []
    assert cluster.devices[0].max_memory_allocated() == 16


def test_what_a_collective_records() -> None:
    cluster = Cluster(2)

    def act(group: Group) -> None:
        x, whole = group.device.zeros((2, 2), "float16"), group.device.zeros(8, "float16")
        work = group.all_gather_into_tensor(whole, x, async_op=True)
        group.reduce_scatter_tensor(group.device.zeros(2, "float16"), x, op="max")
        assert work is not None
        work.wait()

    cluster.run(act, cluster.world)
    gather, scatter = cluster.ledger.collectives()
    assert gather[:5] == ("all_gather_into_tensor", 0, "float16", "", True)
    assert scatter[:5] == ("reduce_scatter_tensor", 0, "float16", "max", False)
    assert [(share.rank, share.sent, share.shape) for share in gather.shares] == [(0, 8, (2, 2)), (1, 8, (2, 2))]
    # Which storages: the events before say what each was.
    made = {event.storage: event for event in cluster.ledger.events if isinstance(event, Allocation)}
    share = gather.share(1)
    assert share is not None
    assert [made[number].bytes for number in (*share.inputs, *share.outputs)] == [8, 16]
    assert all(made[number].rank == 1 for number in share.inputs)
    assert share.where is not None
    assert gather.share(2) is None
    assert cluster.ledger.collectives("reduce_scatter_tensor") == (scatter,)
    assert [cluster.ledger.bytes_sent(0), cluster.ledger.bytes_sent(0, "reduce_scatter_tensor")] == [12, 4]


HERE = Where("a.py", 1)
EVENTS = [
    Allocation(0, 1, 100, "zeros", HERE),
    Allocation(1, 2, 7, "zeros", HERE),
    Allocation(0, 3, 50, "add", HERE),
    Release(0, 1, 100, False),
    HostCopy(0, 50, True, "numpy", HERE),
    Collective("barrier", 0, "", "", False, (Share(0, 0, (), (), ()), Share(3, 5, (), (), ()))),
    Allocation(0, 4, 80, "exp", HERE),
    Release(0, 3, 50, True, HERE),
]


def test_questions() -> None:
    ledger = Ledger(list(EVENTS))
    assert [total for total, _ in ledger.timeline(0)] == [100, 150, 50, 130, 80]
    assert [ledger.peak(0), ledger.peak(1), ledger.peak(2), ledger.peak(0, start=10)] == [150, 7, 0, 160]
    assert [event.storage for event in ledger.live(0)] == [4]
    assert [ledger.bytes_sent(rank) for rank in (0, 1, 3)] == [0, 0, 5]
    assert len(ledger.host_copies()) == 1


def test_since() -> None:
    ledger = Ledger(list(EVENTS))
    late = ledger.since(3)
    assert late.events == EVENTS[3:]
    assert late.peak(0, start=150) == 150
    assert [event.storage for event in late.live(0)] == [4]


def test_a_line_per_event() -> None:
    lines = Ledger(list(EVENTS)).dump().splitlines()
    assert len(lines) == len(EVENTS)
    assert lines[0] == ("Allocation(rank=0, storage=1, bytes=100, operation='zeros', where=Where(file='a.py', line=1))")


def test_events_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        EVENTS[0].bytes = 1  # type: ignore[union-attr,misc]

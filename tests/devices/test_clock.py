"""The clock, against seconds computed by hand on hardware of round figures."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.devices import Chip, Cluster, Group, Hardware, Ledger, Link, chrome_trace
from grader.devices.errors import GroupError
from grader.devices.hardware import A100, CHIPS, ETHERNET_100, H100, INFINIBAND_NDR, LINKS, NVLINK_4
from grader.devices.ledger import COMMUNICATION, COMPUTE, WAITING, Allocation, Release, Span, Time

from .test_shape_only import program, steps

INNER = Link("inner", 8, 1, "made up")
OUTER = Link("outer", 2, 16, "made up")
CHIP = Chip("chip", 64, 4, 1000, INNER, "made up")
TOY = Hardware(CHIP, outer=OUTER, ranks_per_node=4)


def run(size: int, act: Callable[..., Any], hardware: Hardware | None = TOY, **options: Any) -> Ledger:
    cluster = Cluster(size, hardware=hardware, **options)
    cluster.run(act, cluster.world)
    return cluster.ledger


def stretches(ledger: Ledger, rank: int = 0) -> list[tuple[str, str, float, float]]:
    return [(span.stream, span.operation, span.start, span.end) for span in ledger.spans(rank)]


# Computation


def test_operations_follow_one_another_at_the_speed_of_memory_or_of_the_chip() -> None:
    def act(group: Group) -> None:
        device = group.device
        x = device.empty((4, 4), "float32")  # nothing is written
        y = device.zeros((4, 4), "float32")  # 64 bytes at 4 a second
        x += y  # reads 2 x 64, writes 64
        x.astype("float16")  # reads 64, writes 32
        x[0].sum()  # reads a row of 16, writes 4

    assert stretches(run(1, act)) == [
        (COMPUTE, "zeros", 0, 16),
        (COMPUTE, "add", 16, 64),
        (COMPUTE, "copy", 64, 88),
        (COMPUTE, "sum", 88, 93),
    ]


def test_a_product_takes_its_flops_where_they_take_longer() -> None:
    def act(group: Group) -> None:
        x = group.device.empty((64, 64), "float32")
        x @ x  # 2 x 64^3 / 64 = 8,192 s; 3 x 16,384 bytes / 4 = 12,288 s
        y = group.device.empty((128, 128), "float16")
        y @ y  # 2 x 128^3 / 64 = 65,536 s; 3 x 32,768 bytes / 4 = 24,576 s

    assert stretches(run(1, act)) == [(COMPUTE, "matmul", 0, 12288), (COMPUTE, "matmul", 12288, 12288 + 65536)]


# Collectives: (N-1) steps of 1 s and the bytes that a rank sends at 8 a second, on 4 ranks of a node


@pytest.mark.parametrize(
    ("act", "seconds"),
    [
        (lambda group, x: group.all_gather_into_tensor(group.device.empty(64), x), 3 + 3 * 64 / 8),
        (lambda group, x: group.reduce_scatter_tensor(group.device.empty(4), x), 3 + 3 * 16 / 8),
        (lambda group, x: group.all_reduce(x), 6 + 6 * 16 / 8),
        (lambda group, x: group.all_reduce(x[:5]), 6 + 6 * 8 / 8),
        (lambda group, x: group.broadcast(x, src=1), 3 + 64 / 8),
        (lambda group, x: group.barrier(), 6),
        (lambda group, x: group.split(lambda rank: 0), 0),
    ],
)
@pytest.mark.parametrize("ranks", [None, [2]])
def test_what_a_collective_takes_in_a_node(act: Any, seconds: float, ranks: list[int] | None) -> None:
    ledger = run(4, lambda group: act(group, group.device.empty(16)), ranks=ranks, materialize=not ranks)
    for rank in ranks or range(4):
        (span,) = ledger.spans(rank, COMMUNICATION)
        assert (span.start, span.end) == (0, seconds)
        assert ledger.time(rank) == Time(seconds, 0, seconds, seconds)
        assert ledger.time(rank).communication_share == (seconds > 0)


@pytest.mark.parametrize("ends", [(0, 1), (0, 5)])
@pytest.mark.parametrize("live", [None, 0, 1])
def test_a_transfer_takes_the_link_between_its_ends(ends: tuple[int, int], live: int | None) -> None:
    src, dst = ends

    def act(group: Group) -> None:
        x = group.device.empty(16)
        if group.rank == src:
            group.send(x, dst=dst)
        elif group.rank == dst:
            group.recv(x, src=src)

    ledger = run(8, act, ranks=None if live is None else [ends[live]], materialize=live is None)
    for rank in ends if live is None else [ends[live]]:
        assert ledger.time(rank).seconds == (1 + 64 / 8 if dst == 1 else 16 + 64 / 2)


def test_a_group_and_its_pairs_each_have_links_of_their_own() -> None:
    def act(group: Group) -> None:
        group.barrier()  # 14 steps of 16 s
        x = group.device.empty(16)
        if group.rank < 2:
            group.send(x, dst=1) if group.rank == 0 else group.recv(x, src=0)

    assert run(8, act).time(0).seconds == 14 * 16 + 1 + 64 / 8


def test_alone_nothing_is_sent() -> None:
    def act(group: Group) -> None:
        x = group.device.empty(16)
        group.all_gather_into_tensor(group.device.empty(16), x)
        group.all_reduce(x)
        group.broadcast(x, src=0)
        group.barrier()

    assert run(1, act).time(0) == Time(0, 0, 0, 0)


@pytest.mark.parametrize(
    ("split", "latency", "bandwidth"),
    [
        (lambda rank: rank // 4, 1, 8),
        (lambda rank: rank % 4, 16, 2),
        (lambda rank: 0, 16, 2),
        (lambda rank: rank // 2, 1, 8),
    ],
)
def test_a_ring_is_as_slow_as_its_slowest_link(split: Any, latency: int, bandwidth: int) -> None:
    def act(group: Group) -> int:
        part = group.split(split)
        part.all_gather_into_tensor(group.device.empty(16 * part.size), group.device.empty(16))
        return part.size

    cluster = Cluster(8, hardware=TOY)
    count = cluster.run(act, cluster.world)[0]
    for rank in range(8):
        expected = (count - 1) * (latency + 64 / bandwidth)
        assert cluster.ledger.time(rank).seconds == expected


def test_a_slow_link_inside_a_node_binds_a_ring_across_nodes_too() -> None:
    hardware = Hardware(CHIP, inner=OUTER, outer=INNER, ranks_per_node=2)
    assert hardware.ring([0, 1]) == hardware.ring([0, 1, 2, 3]) == (16, 2)
    assert hardware.ring([0, 2]) == (1, 8)
    with pytest.raises(GroupError, match="one rank at least"):
        Hardware(CHIP, ranks_per_node=0)


# Two streams


def test_a_collective_waits_for_the_last_rank_and_computation_for_the_collective() -> None:
    def act(group: Group) -> None:
        group.device.zeros(4 * group.rank)  # 4 s a rank
        group.barrier()
        group.device.zeros(1)

    ledger = run(3, act)
    assert stretches(ledger, 1) == [
        (COMPUTE, "zeros", 0, 4),
        (COMMUNICATION, "barrier", 8, 12),
        (WAITING, "barrier", 4, 12),
        (COMPUTE, "zeros", 12, 13),
    ]
    assert [ledger.time(rank).waiting for rank in range(3)] == [12, 8, 4]
    assert ledger.time(1) == Time(13, 5, 4, 8)
    assert ledger.time(1).waiting_share == 8 / 13


@pytest.mark.parametrize(("elements", "waiting"), [(4, 5), (16, 0), (9, 0), (8, 1)])
def test_an_asynchronous_collective_runs_beside_computation_until_wait(elements: int, waiting: float) -> None:
    def act(group: Group) -> None:
        x = group.device.empty(16)
        work = group.broadcast(x, src=0, async_op=True)  # 1 + 8 s
        group.device.zeros(elements)  # a second each
        work.wait()
        work.wait()

    ledger = run(2, act)
    for rank in range(2):
        assert ledger.time(rank) == Time(max(9, elements), elements, 9, waiting)


def test_communication_is_one_after_another_and_begins_when_it_is_called() -> None:
    def act(group: Group) -> None:
        group.device.zeros(3)
        first = group.barrier(async_op=True)  # 2 s
        second = group.barrier(async_op=True)
        group.device.zeros(3)
        third = group.barrier(async_op=True)
        third.wait()
        second.wait()
        first.wait()

    ledger = run(2, act)
    assert [(span.start, span.end) for span in ledger.spans(1, COMMUNICATION)] == [(3, 5), (5, 7), (7, 9)]
    assert [(span.start, span.end) for span in ledger.spans(1, WAITING)] == [(6, 9)]


def layers(group: Group, prefetch: bool) -> None:
    """Gathers a unit before it is computed with; the next one during that, with prefetch."""
    device = group.device

    def gather() -> tuple[Any, Any]:
        unit = device.empty(16)
        return unit, group.all_gather_into_tensor(unit, device.empty(8), async_op=True)

    ahead = gather() if prefetch else None
    for number in range(4):
        unit, work = ahead or gather()
        work.wait()
        ahead = gather() if prefetch and number < 3 else None
        unit += 1  # reads and writes 64 bytes: 32 s


def test_prefetch_hides_communication_behind_computation() -> None:
    plain, ahead = (run(2, lambda group, prefetch=prefetch: layers(group, prefetch)) for prefetch in (False, True))
    assert plain.time(0) == Time(4 * (5 + 32), 4 * 32, 4 * 5, 4 * 5)
    assert ahead.time(0) == Time(5 + 4 * 32, 4 * 32, 4 * 5, 5)
    assert plain.bytes_sent(0) == ahead.bytes_sent(0)


def test_a_part_of_the_ledger_has_the_time_of_that_part() -> None:
    cluster = Cluster(1, hardware=TOY)
    cluster.devices[0].zeros(5)
    mark = len(cluster.ledger.events)
    cluster.devices[0].zeros(2)
    assert cluster.ledger.since(mark).time(0) == Time(2, 2, 0, 0)
    assert cluster.ledger.time(0).seconds == 7


def test_memory_comes_and_goes_where_computation_has_come_to() -> None:
    def act(group: Group) -> None:
        x = group.device.zeros(4)  # 4 s
        whole = group.device.empty(8)
        group.all_gather_into_tensor(whole, x)  # 1 + 16 / 8 s
        y = group.device.zeros(2)  # 2 s
        work = group.barrier(async_op=True)  # 2 s, beside what follows
        whole.free()
        group.device.zeros(1)  # 1 s
        work.wait()
        y.free()

    ledger = run(2, act)
    moments = [(second, event.bytes) for second, (_, event) in zip(ledger.seconds(1), ledger.timeline(1), strict=True)]
    assert moments == [(0, 16), (4, 32), (7, 8), (9, 32), (9, 4), (10, 4), (11, 8), (11, 16)]
    assert run(2, act, None).seconds(1) == ()
    assert ledger.seconds(1)[-1] <= ledger.time(1).seconds


def test_a_rank_that_only_holds_memory_has_it_from_the_beginning() -> None:
    cluster = Cluster(2, hardware=TOY)
    cluster.devices[0].zeros(1)
    kept = cluster.devices[1].empty(1)
    assert (cluster.ledger.seconds(1), kept.nbytes) == ((0,), 4)


# The ledger without seconds


@settings(max_examples=60)
@given(size=st.integers(1, 4), steps=steps)
def test_hardware_adds_spans_and_changes_nothing_else(size: int, steps: Any) -> None:
    def act(group: Group) -> None:
        program(group, steps)

    plain, timed, bare = (
        run(size, act, None),
        run(size, act, TOY),
        run(size, act, TOY, materialize=False),
    )
    assert [event for event in timed.events if not isinstance(event, Span)] == plain.events
    assert timed.dump() == bare.dump() == run(size, act, TOY).dump()
    assert not any(isinstance(event, Span) for event in plain.events)
    for rank in range(size):
        for streams in ({COMPUTE, WAITING}, {COMMUNICATION}):
            spans = [span for span in timed.spans(rank) if span.stream in streams]
            assert all(before.end <= after.start for before, after in pairwise(spans))


# What takes every rank alike: no groups of several sizes, no transfers that wait for one another around a ring.
symmetric = steps.map(lambda each: [step for step in each if step[0] not in ("split", "ring")])


@settings(max_examples=60)
@given(data=st.data(), size=st.integers(1, 6), steps=symmetric)
def test_some_ranks_take_the_time_that_they_take_among_all(data: st.DataObject, size: int, steps: Any) -> None:
    ranks = sorted(data.draw(st.sets(st.integers(0, size - 1), min_size=1)))
    hardware = Hardware(CHIP, outer=OUTER, ranks_per_node=2)
    full = run(size, lambda group: program(group, steps), hardware)
    some = run(size, lambda group: program(group, steps), hardware, materialize=False, ranks=ranks)
    for rank in ranks:
        assert sorted(stretches(full, rank)) == sorted(stretches(some, rank))


# Figures


@pytest.mark.parametrize("each", [*CHIPS, *LINKS], ids=lambda each: each.name)
def test_every_figure_has_its_source(each: Chip | Link) -> None:
    assert "datasheet:" in each.source or "datasheet," in each.source or "IEEE" in each.source
    if isinstance(each, Link):
        assert 1e9 < each.bandwidth < 1e12
        assert "NCCL" in each.source
    else:
        assert each.bandwidth < each.flops / 100  # else a single operation on an element would not wait for memory
        assert 4 * 10**10 < each.memory < 10**12


@pytest.mark.parametrize("link", LINKS, ids=lambda link: link.name)
def test_a_link_has_the_figures_of_its_source(link: Link) -> None:
    """Of both directions together, or in bits, as its source states them."""
    stated = re.search(r"([\d.]+) ([GT][Bb])/s", link.source)
    latency = re.search(r"([\d.]+) us$", link.source)
    assert stated is not None
    assert latency is not None
    rate = float(stated[1]) * {"GB": 1e9, "TB": 1e12, "Gb": 1e9 / 8}[stated[2]]
    assert link.bandwidth == rate / (2 if "both directions" in link.source else 1)
    assert link.latency == pytest.approx(float(latency[1]) * 1e-6)


@pytest.mark.parametrize("chip", CHIPS, ids=lambda chip: chip.name)
def test_a_chip_has_the_figures_of_its_source(chip: Chip) -> None:
    """Of eight chips together and with sparsity, as its source states them."""
    text = chip.source.replace(",", "")
    flops, *_ = re.findall(r"([\d.]+) (TFLOPS|PFLOPS)", text)
    rate, *_ = re.findall(r"([\d.]+) (GB/s|TB/s)", text)
    memory, *_ = re.findall(r"(\d+) GB(?!/)", text.removeprefix("NVIDIA A100 datasheet SXM 80 GB"))
    chips = 8 if "8 chips" in text else 1
    assert chip.flops == float(flops[0]) * {"T": 1e12, "P": 1e15}[flops[1][0]] / chips / (
        2 if "sparsity" in text else 1
    )
    assert chip.bandwidth == float(rate[0]) * {"G": 1e9, "T": 1e12}[rate[1][0]] / chips
    assert chip.memory == int(memory) * 10**9 / chips


def test_a_gather_of_a_real_layer() -> None:
    """80 GB over 1,024 ranks of H100s, 8 a node: (N-1) a + (N-1)/N S/W."""
    hardware = Hardware(H100, outer=INFINIBAND_NDR)
    options = {"materialize": False, "ranks": [0], "capacity": None, "flops": None}

    def act(group: Group) -> None:
        piece = group.device.empty(40 * 2**20, "float16")
        group.all_gather_into_tensor(group.device.empty(piece.size * group.size, "float16"), piece)

    whole = 80 * 2**20 * 1024
    inner, outer = run(8, act, hardware, **options), run(1024, act, hardware, **options)
    assert inner.time(0).seconds == pytest.approx(7 * 3.4e-6 + 7 * 80 * 2**20 / 450e9)
    assert outer.time(0).seconds == pytest.approx(1023 * 14e-6 + 1023 / 1024 * whole / 50e9)
    slow = run(1024, act, Hardware(A100, outer=ETHERNET_100), **options)
    assert slow.time(0).seconds == pytest.approx(1023 * 14e-6 + 1023 / 1024 * whole / 12.5e9)
    assert Hardware(H100).ring([0, 1]) == (NVLINK_4.latency, NVLINK_4.bandwidth)


# The trace


def entries(ledger: Ledger, **wanted: Any) -> list[dict[str, Any]]:
    found = json.loads(chrome_trace(ledger))["traceEvents"]
    return [entry for entry in found if all(entry[key] == value for key, value in wanted.items())]


def traced(group: Group) -> None:
    x = group.device.zeros(16)
    work = group.broadcast(x, src=0, async_op=True)
    y = group.device.zeros(4)
    work.wait()
    y.free()


def test_a_trace_has_devices_streams_and_memory() -> None:
    ledger = run(2, traced)
    names = {(entry["pid"], entry["tid"], entry["name"]): entry["args"]["name"] for entry in entries(ledger, ph="M")}
    assert names == {
        (rank, tid, kind): name
        for rank in range(2)
        for tid, kind, name in [
            (0, "process_name", f"device {rank}"), (0, "thread_name", "compute"), (1, "thread_name", "communication"),
        ]
    }  # fmt: skip
    slices = [(e["tid"], e["name"], e["ts"], e["dur"]) for e in entries(ledger, ph="X", pid=1)]
    second = 1e6
    assert slices == [
        (0, "zeros", 0, 16 * second),
        (1, "broadcast", 16 * second, 9 * second),
        (0, "zeros", 16 * second, 4 * second),
        (0, "wait for broadcast", 20 * second, 5 * second),
    ]
    assert [e["args"]["bytes sent"] for e in entries(ledger, tid=1, ph="X")] == [64, 0]
    memory = [(e["ts"], e["args"]["bytes"]) for e in entries(ledger, ph="C", pid=0)]
    assert memory == [(0, 64), (16 * second, 80), (25 * second, 64), (25 * second, 0)]
    assert all(__file__ in e["args"]["line"] for e in entries(ledger, ph="X"))


def test_without_hardware_a_trace_has_the_order_of_events() -> None:
    ledger = run(2, traced, None)
    slices = [(e["tid"], e["name"], e["dur"]) for e in entries(ledger, ph="X", pid=0)]
    assert slices == [(0, "zeros", 1), (0, "zeros", 1), (1, "broadcast", 1)]
    times = [e["ts"] for e in entries(ledger) if "ts" in e]
    assert times == sorted(times)
    assert [e["args"]["bytes"] for e in entries(ledger, ph="C", pid=0)] == [64, 80, 64, 0]
    assert entries(Ledger()) == []


@settings(max_examples=30)
@given(size=st.integers(1, 3), steps=steps, hardware=st.sampled_from([None, TOY, Hardware(H100)]))
def test_stretches_of_one_stream_do_not_overlap_in_a_trace(size: int, steps: Any, hardware: Hardware | None) -> None:
    ledger = run(size, lambda group: program(group, steps), hardware)
    ends: dict[tuple[int, int], float] = {}
    for each in entries(ledger, ph="X"):
        stream = each["pid"], each["tid"]
        assert np.round(each["ts"] * 1000) >= ends.get(stream, 0)
        ends[stream] = np.round(each["ts"] * 1000) + np.round(each["dur"] * 1000)


def test_a_trace_of_a_part_goes_on_from_what_there_was() -> None:
    cluster = Cluster(1, hardware=TOY)
    x = cluster.devices[0].zeros(16)  # 16 s
    mark = len(cluster.ledger.events)
    y = cluster.devices[0].zeros(4)
    x.free()
    y.free()
    trace = json.loads(chrome_trace(cluster.ledger.since(mark), {0: 64}))["traceEvents"]
    memory = [(entry["ts"], entry["args"]["bytes"]) for entry in trace if entry["ph"] == "C"]
    assert memory == [(16e6, 80), (20e6, 16), (20e6, 0)]


def refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


@settings(max_examples=30)
@given(size=st.integers(1, 3), steps=steps, hardware=st.sampled_from([None, TOY, Hardware(H100)]))
def test_a_trace_keeps_the_rules_of_the_trace_event_format(size: int, steps: Any, hardware: Hardware | None) -> None:
    ledger = run(size, lambda group: program(group, steps), hardware)
    trace = json.loads(chrome_trace(ledger), parse_constant=refuse)
    assert trace["displayTimeUnit"] in ("ms", "ns")
    named: set[tuple[str, int, int]] = set()
    used: set[tuple[str, int, int]] = set()
    for event in trace["traceEvents"]:
        keys = set(event)
        assert {"ph", "name", "pid", "tid"} <= keys
        assert isinstance(event["name"], str)
        assert type(event["pid"]) is type(event["tid"]) is int
        times = [event[key] for key in ("ts", "dur") if key in keys]
        assert all(isinstance(time, (int, float)) and time >= 0 for time in times)
        match event["ph"]:
            case "M":
                assert (keys, list(event["args"])) == ({"ph", "name", "pid", "tid", "args"}, ["name"])
                place = event["name"], event["pid"], event["tid"]
                assert place not in named
                named.add(place)
            case "X":
                assert keys == {"ph", "name", "cat", "pid", "tid", "ts", "dur", "args"}
                used |= {("process_name", event["pid"], 0), ("thread_name", event["pid"], event["tid"])}
            case "C":
                assert keys == {"ph", "name", "pid", "tid", "ts", "args"}
                assert all(type(value) is int and value >= 0 for value in event["args"].values())
                used.add(("process_name", event["pid"], 0))
            case other:
                raise AssertionError(other)
    assert used <= named
    allocated = sum(isinstance(event, (Allocation, Release)) for event in ledger.events)
    assert sum(event["ph"] == "C" for event in trace["traceEvents"]) == allocated

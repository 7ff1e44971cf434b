"""The ledger says what the formulas say: bytes at rest, collectives, bytes sent; and the peak stays in its bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from grader.devices import RANK, Cluster, DeviceArray, Group
from grader.strategies import (
    FSDP,
    FULL,
    SGD,
    ZERO,
    Adam,
    Case,
    Cost,
    Flat,
    Linear,
    PerParameter,
    Settings,
    UnitSize,
    load,
    measure,
    predict,
    predicted,
)
from grader.strategies.optimizers import Optimizer
from grader.strategies.sharding import Sharding

from .strategy_cases import ALL, CASES, chain, node_size

GATHER, SCATTER, REDUCE = "all_gather_into_tensor", "reduce_scatter_tensor", "all_reduce"
PIECES = ("stage3", "no_sync", "shard_grad_op", "reshard_to_node", "hybrid")
EVEN = [Linear(f"layer{number}", (32, 32)) for number in range(4)]  # 4 units of 1024 parameters
UNIT = 1024


def both(name: str, layers: list[Linear], ranks: int, settings: Settings, micro_batches: int = 1) -> tuple[Cost, Cost]:
    settings = replace(settings, node_size=node_size(ranks))
    return (
        measure(Cluster(ranks), name, layers, 1, settings, micro_batches),
        predicted(ranks, name, layers, 1, settings, micro_batches),
    )


@pytest.mark.parametrize(
    "case", ["even", "uneven", "tied", "tied apart", "frozen", "frozen group", "grouped", "root only"]
)
@pytest.mark.parametrize("name", ALL)
def test_the_ledger_agrees_with_the_formulas(name: str, case: str) -> None:
    for ranks, sharding, prefetch, optimizer, micro_batches, precision in (
        (4, PerParameter, False, Adam(), 1, FSDP if name in PIECES else ZERO),
        (4, Flat, True, SGD(), 2, FULL),
        (3, PerParameter, True, SGD(), 3, FSDP if name in PIECES else FULL),
        (1, Flat, False, Adam(), 1, ZERO),
    ):
        settings = Settings(optimizer, precision, sharding, CASES[case].units, prefetch)
        found, wanted = both(name, list(CASES[case].layers), ranks, settings, micro_batches)
        assert found.at_rest == wanted.at_rest
        assert found.collectives == wanted.collectives
        assert found.sent == wanted.sent
        assert found.peak <= wanted.peak


# Rows of the paper, in bytes a parameter: what is whole, and what is divided by the devices.
PAPER = {
    "stage0": (16, 0),
    "stage1": (4, 12),
    "stage2": (2, 14),
    **dict.fromkeys(("stage3", "no_sync", "shard_grad_op", "reshard_to_node"), (0, 16)),
}


@pytest.mark.parametrize("name", PAPER)
@pytest.mark.parametrize("ranks", [1, 2, 4, 8])
def test_at_rest_is_the_papers_table(name: str, ranks: int) -> None:
    whole, divided = PAPER[name]
    found, wanted = both(name, EVEN, ranks, Settings(Adam(), ZERO))
    expected = whole * 4 * UNIT + divided * 4 * UNIT // ranks
    assert sum(found.at_rest.values()) == sum(wanted.at_rest.values()) == expected


@pytest.mark.parametrize(
    ("name", "wanted"),
    [("stage0", 120e9), ("stage1", 31.40625e9), ("stage2", 16.640625e9), ("stage3", 1.875e9)],
)
def test_figure_1_of_the_paper(name: str, wanted: float) -> None:
    """7.5 billion parameters on 64 devices."""
    parameters = 7_500_000_000
    case = Case(load(name).plan, [UnitSize(parameters, -(-parameters // 64))], 64, ZERO, Adam())
    assert sum(predict(case).at_rest.values()) == wanted


def test_fsdp_keeps_as_much_in_another_composition() -> None:
    found, _ = both("stage3", EVEN, 4, Settings(Adam(), FSDP))
    assert found.at_rest == {"parameters": 4 * UNIT, "gradients": 4 * UNIT, "optimizer": 8 * UNIT}


def test_a_hybrid_device_keeps_its_piece_of_a_node() -> None:
    found, _ = both("hybrid", EVEN, 8, Settings(Adam(), ZERO))
    assert sum(found.at_rest.values()) == 16 * 4 * UNIT // 2


def test_optimizer_state_is_where_the_stage_says() -> None:
    """Adam's two moments in float32; plain SGD has nothing to remember."""
    for name in ALL:
        size = 4 * UNIT if name == "stage0" else 4 * UNIT // (2 if name == "hybrid" else 4)
        assert both(name, EVEN, 4, Settings(Adam()))[0].at_rest["optimizer"] == 8 * size
        assert both(name, EVEN, 4, Settings(SGD()))[0].at_rest["optimizer"] == 0


# Elements sent in a step of M micro-batches, in units of (N-1)/N of the parameters.
SENT = {
    "stage0": lambda batches: 2,
    "stage1": lambda batches: 2,
    "stage2": lambda batches: batches + 1,
    "stage3": lambda batches: 3 * batches,
    "no_sync": lambda batches: 2 * batches + 1,
    "shard_grad_op": lambda batches: 2 * batches,
}


@pytest.mark.parametrize("name", SENT)
@pytest.mark.parametrize("micro_batches", [1, 2, 4])
def test_sent_is_the_papers_section_7(name: str, micro_batches: int) -> None:
    for ranks in (2, 8):
        found, wanted = both(name, EVEN, ranks, Settings(), micro_batches)
        expected = SENT[name](micro_batches) * (ranks - 1) * 4 * 4 * UNIT // ranks
        assert sum(found.sent.values()) == sum(wanted.sent.values()) == expected


def test_low_precision_halves_the_gathers_and_not_the_reduction() -> None:
    full, low = (both("stage3", EVEN, 4, Settings(precision=precision))[0].sent for precision in (FULL, FSDP))
    assert low[GATHER] * 2 == full[GATHER]
    assert low[SCATTER] == full[SCATTER]


def test_hybrid_reduces_a_piece_across_nodes() -> None:
    found, _ = both("hybrid", EVEN, 8, Settings())
    assert found.collectives == {GATHER: 8, SCATTER: 4, REDUCE: 4}
    piece = UNIT // 2 * 4
    assert found.sent == {GATHER: 8 * piece, SCATTER: 4 * piece, REDUCE: 4 * 2 * 3 * piece // 4}


@pytest.mark.parametrize("micro_batches", [1, 3])
def test_a_node_gathers_for_the_backward_pass(micro_batches: int) -> None:
    found, wanted = both("reshard_to_node", EVEN, 8, Settings(), micro_batches)
    assert found.collectives == wanted.collectives == {GATHER: 8 * micro_batches, SCATTER: 4 * micro_batches}
    whole = 4 * 4 * UNIT
    assert found.sent[GATHER] == wanted.sent[GATHER] == micro_batches * (7 * whole // 8 + whole // 2)


# The order of the collectives in one step of two micro-batches of the model "a b c".
FORWARD, BACKWARD = [(GATHER, 1)] * 3, [(GATHER, 1), (SCATTER, 1)] * 3
ORDER = {
    "stage0": [(REDUCE, 1)] * 3,
    "stage1": [(SCATTER, 1), (GATHER, 1)] * 3,
    "stage2": [(SCATTER, 1)] * 6 + [(GATHER, 1)] * 3,
    "stage3": [*FORWARD, *BACKWARD] * 2,
    "no_sync": [*FORWARD, *[(GATHER, 1)] * 3, *FORWARD, *BACKWARD],
    "reshard_to_node": [*FORWARD, *BACKWARD] * 2,
    "shard_grad_op": [*FORWARD, *[(SCATTER, 1)] * 3] * 2,
    "hybrid": [*FORWARD, *[(GATHER, 1), (SCATTER, 1), (REDUCE, 2)] * 3] * 2,
}


def run(
    name: str,
    layers: list[Linear],
    cluster: Cluster,
    settings: Settings,
    batches: int = 1,
    unused: Sequence[Linear] = (),
) -> int:
    """Make a step on every rank; the number of the first event of the step, as rank 0 sees it."""
    marks: list[int] = []

    def body(rank: int, group: Group) -> None:
        zeros = group.device.zeros
        model = load(name)([*layers, *unused], lambda layer: zeros(layer.shape), group, settings)
        data = [(zeros((1, layers[0].shape[1])), zeros((1, layers[-1].shape[0]))) for _ in range(batches)]
        group.barrier()
        if rank == 0:
            marks.append(len(cluster.ledger.events))
        before = group.device.memory_allocated()
        for _ in range(3):
            model.step(layers, data, 0.5)
            assert group.device.memory_allocated() == before

    cluster.run(body, RANK, cluster.world)
    return marks[0]


@pytest.mark.parametrize("name", ALL)
def test_collectives_come_in_their_order(name: str) -> None:
    cluster = Cluster(4)
    mark = run(name, list(chain(4, 4, 4, 4)), cluster, Settings(node_size=2), batches=2)
    found = [
        (event.operation, 2 if event.operation == REDUCE and name == "hybrid" else 1)
        for event in cluster.ledger.since(mark).collectives()
        if event.share(0) is not None
    ]
    assert found == ORDER[name] * 3


@pytest.mark.parametrize("name", ALL)
def test_an_unused_parameter_costs_no_collective(name: str) -> None:
    layers, spare = list(chain(4, 4, 4)), Linear("spare", (4, 4))
    counts = []
    for unused in ([], [spare]):
        cluster = Cluster(4)
        mark = run(name, layers, cluster, Settings(node_size=2), unused=unused)
        counts.append(len(cluster.ledger.since(mark).collectives()))
    assert counts[0] == counts[1]


@pytest.mark.parametrize("name", ALL)
def test_a_frozen_parameter_has_no_gradient_and_no_optimizer_state(name: str) -> None:
    frozen = [*EVEN[:3], Linear("frozen", (32, 32), trainable=False)]
    found, wanted = both(name, frozen, 4, Settings(Adam())), both(name, EVEN, 4, Settings(Adam()))
    for cost, all_trained in zip(found, wanted, strict=True):
        assert cost.at_rest["parameters"] == all_trained.at_rest["parameters"]
        for what in ("gradients", "optimizer"):
            assert cost.at_rest[what] == 3 * all_trained.at_rest[what] // 4
        for operation in {SCATTER, REDUCE} & all_trained.sent.keys():
            assert cost.sent[operation] == 3 * all_trained.sent[operation] // 4


@pytest.mark.parametrize("prefetch", [False, True])
@pytest.mark.parametrize("name", ALL)
def test_a_step_leaves_the_memory_as_it_was_and_copies_nothing_to_the_host(name: str, prefetch: bool) -> None:
    """Rest after a step is rest before it: ``run`` asserts it on every rank, for three steps."""
    for case in ("uneven", "grouped", "frozen", "tied apart"):
        cluster = Cluster(4)
        settings = Settings(Adam(), FULL, PerParameter, CASES[case].units, prefetch, node_size=2)
        run(name, list(CASES[case].layers), cluster, settings)
        assert cluster.ledger.host_copies() == ()


@pytest.mark.parametrize("name", ALL)
def test_what_is_allocated_is_what_is_kept(name: str) -> None:
    cluster = Cluster(4)
    settings = Settings(Adam(), ZERO, node_size=2)

    def body(group: Group) -> bool:
        model = load(name)(EVEN, lambda layer: group.device.zeros(layer.shape), group, settings)
        return sum(model.bytes_at_rest().values()) == group.device.memory_allocated()

    assert all(cluster.run(body, cluster.world))


@pytest.mark.parametrize("name", ["stage2", *PIECES])
def test_preparation_never_needs_the_whole_model(name: str) -> None:
    layers = [Linear(f"layer{number}", (32, 32)) for number in range(20)]
    cluster = Cluster(4)

    def body(group: Group) -> int:
        load(name)(layers, lambda layer: group.device.zeros(layer.shape), group, Settings(node_size=2))
        return group.device.max_memory_allocated()

    assert max(cluster.run(body, cluster.world)) <= {"stage2": 25, "hybrid": 20}.get(name, 10) * 4 * UNIT + 4 * 4 * UNIT


def test_stages_without_pieces_of_parameters_refuse_to_compute_in_another_dtype() -> None:
    with pytest.raises(ValueError, match="float32 cannot be kept and float16 computed with"):
        measure(Cluster(1), "stage2", EVEN, settings=Settings(precision=FSDP))


def test_nodes_that_do_not_divide_are_refused() -> None:
    with pytest.raises(ValueError, match="4 devices do not make nodes of 3"):
        measure(Cluster(4), "hybrid", EVEN, settings=Settings(node_size=3))


def test_a_name_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="no strategy is called 'stage4'; there are hybrid, no_sync, reshard_to_node"):
        load("stage4")


def test_units_are_of_layers_that_there_are_and_all_frozen_or_none() -> None:
    layers = [Linear("a", (2, 2)), Linear("b", (2, 2), trainable=False)]
    for units, message in (((("a", "z"),), "units name z"), ((("a", "b"),), "frozen and trainable")):
        with pytest.raises(ValueError, match=message):
            predicted(2, "stage3", layers, settings=Settings(units=units))


# Peaks, of units so large that activations are less than a tenth of one


LARGE = [Linear(f"layer{number}", (64, 64)) for number in range(6)]
BYTES = 64 * 64 * 4
PEAKS = {
    # gathered, gradient; SHARD_GRAD_OP has all units gathered when the backward pass begins, a node half of each
    "stage3": (2, 3),
    "no_sync": (2, 3),
    "hybrid": (2, 3),
    "reshard_to_node": (5, 6),
    "shard_grad_op": (7, 7),
}


@pytest.mark.parametrize("name", PEAKS)
@pytest.mark.parametrize("prefetch", [False, True])
def test_the_peak_is_a_number_of_units(name: str, prefetch: bool) -> None:
    """Prefetch costs one unit more, and where all are gathered anyway none."""
    found, bound = both(name, LARGE, 8, Settings(prefetch=prefetch))
    units = PEAKS[name][prefetch]
    assert units * BYTES < found.peak <= bound.peak < (units + 0.2) * BYTES


def test_gradients_that_wait_are_whole() -> None:
    """Six units of gradients, and what stage 3 needs for one."""
    found, bound = both("no_sync", LARGE, 8, Settings(), micro_batches=2)
    assert 8 * BYTES < found.peak <= bound.peak < 8.2 * BYTES


@pytest.mark.parametrize("name", ["stage0", "stage1", "stage2"])
def test_the_peak_of_whole_parameters_is_near_its_bound(name: str) -> None:
    found, bound = both(name, LARGE, 8, Settings(Adam()))
    assert bound.peak - BYTES / 4 < found.peak <= bound.peak


@pytest.mark.parametrize("optimizer", [SGD(), Adam()])
@pytest.mark.parametrize("name", ["stage3", "no_sync", "hybrid"])
def test_the_peak_of_stage_3_does_not_grow_with_the_layers(name: str, optimizer: Optimizer) -> None:
    few, many = (
        both(name, [Linear(f"layer{number}", (64, 64)) for number in range(count)], 8, Settings(optimizer))[0].peak
        for count in (2, 8)
    )
    assert many - few < BYTES / 4


def test_one_unit_of_all_layers_peaks_at_twice_the_model() -> None:
    """Gathered whole, and whole gradients beside that; copied out of the gathered pieces, whichever is more."""
    names = tuple(layer.name for layer in LARGE)
    for sharding, units in ((Flat, 12), (PerParameter, 12)):
        found, bound = both("stage3", LARGE, 8, Settings(sharding=sharding, units=(names,)))
        assert units * BYTES < found.peak <= bound.peak


def cut(sharding: type[Sharding]) -> Settings:
    return Settings(sharding=sharding)


def test_flat_pieces_pad_less_than_rows() -> None:
    layers = [Linear("a", (5, 9)), Linear("b", (9, 5))]
    rows, flat = (
        both("stage3", layers, 4, cut(sharding))[0].at_rest["parameters"] for sharding in (PerParameter, Flat)
    )
    assert rows == 4 * (2 * 9 + 3 * 5)
    assert flat == 4 * (12 + 12)


@dataclass(frozen=True)
class Holding(Linear):
    """A layer that saves a view of its weight, as PyTorch's autograd does and lesson 10's layers do."""

    def forward(self, inputs: DeviceArray, weight: DeviceArray) -> tuple[DeviceArray, Any]:
        return inputs @ weight.T, (inputs, weight.T)

    def backward(self, grad_outputs: DeviceArray, saved: Any, weight: DeviceArray) -> tuple[Any, Any]:
        return super().backward(grad_outputs, saved[0], weight)


@pytest.mark.parametrize("name", PEAKS)
def test_a_view_of_a_parameter_keeps_no_memory(name: str) -> None:
    holding = [Holding(layer.name, layer.shape) for layer in LARGE]
    assert both(name, holding, 8, Settings())[0].peak == both(name, LARGE, 8, Settings())[0].peak

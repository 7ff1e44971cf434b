"""How the parts work: pieces and padding, prefetch, precision, optimizers, and what a failure leaves."""

from __future__ import annotations

import math
from itertools import count

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.devices import Cluster, DeviceArray, Group, per_rank
from grader.devices.errors import ShapeError
from grader.strategies import (
    FSDP,
    FULL,
    SGD,
    ZERO,
    Adam,
    Flat,
    Linear,
    PerParameter,
    Precision,
    Settings,
    Strategy,
    load,
)
from grader.strategies.catalogue import stage3
from grader.strategies.sharding import Gather, Sharding, reduce_scatter

from .strategy_cases import DOUBLE, chain

SHAPES = st.lists(st.lists(st.integers(0, 6), min_size=0, max_size=3).map(tuple), min_size=1, max_size=3)


@given(shapes=SHAPES, devices=st.integers(1, 6))
@pytest.mark.parametrize("kind", [PerParameter, Flat])
def test_pieces_of_one_size_make_the_parameters_again(
    kind: type[Sharding], shapes: list[tuple[int, ...]], devices: int
) -> None:
    device = Cluster(1).devices[0]
    numbers = count(1)
    whole = [np.array([next(numbers) for _ in range(int(np.prod(shape)))], float).reshape(shape) for shape in shapes]
    sharding = kind(shapes, devices)
    parameters = [device.array(each) for each in whole]
    pieces = [sharding.shard(parameters, rank) for rank in range(devices)]
    assert {piece.shape for piece in pieces} == {(sharding.piece,)}
    lengths = [(shape[0], math.prod(shape[1:])) if shape else (1, 1) for shape in shapes]
    if kind is Flat:
        assert sharding.piece == math.ceil(sum(rows * rest for rows, rest in lengths) / devices)
    else:
        assert sharding.piece == sum(math.ceil(rows / devices) * rest for rows, rest in lengths)
    joined = np.concatenate(pieces)
    assert isinstance(joined, DeviceArray)
    for found, wanted in zip(sharding.unpack(joined), whole, strict=True):
        np.testing.assert_array_equal(found.numpy(), wanted, strict=True)
    stored = np.concatenate([piece.numpy() for piece in pieces])
    assert sorted(stored[stored > 0]) == list(range(1, next(numbers)))  # each element once; the rest is padding


def test_rows_are_cut_by_the_ceil_rule_and_flat_pieces_by_elements() -> None:
    device = Cluster(1).devices[0]
    parameters = [device.array(np.arange(1.0, 16).reshape(5, 3)), device.array([21.0, 22, 23])]
    rows, flat = PerParameter([(5, 3), (3,)], 4), Flat([(5, 3), (3,)], 4)
    assert [rows.shard(parameters, rank).tolist() for rank in (2, 3)] == [[13, 14, 15, 0, 0, 0, 23], [0] * 7]
    assert [flat.shard(parameters, rank).tolist() for rank in (2, 3)] == [[11, 12, 13, 14, 15], [21, 22, 23, 0, 0]]


def test_a_piece_is_a_copy() -> None:
    device = Cluster(1).devices[0]
    parameter = device.zeros((4, 2))
    piece = PerParameter([(4, 2)], 2).shard([parameter], 1)
    parameter.fill(7)
    assert piece.tolist() == [0.0] * 4


def test_padding_is_not_read() -> None:
    """Whatever the padding becomes, the parameters stay."""

    def body(group: Group) -> list[float]:
        sharding = PerParameter([(3, 1)], 2)
        piece = sharding.shard([group.device.zeros((3, 1)) + 1], group.rank)
        if group.rank == 1:
            piece[1:] = float("nan")
        values: list[float] = Gather(sharding, piece, group).wait()[0].ravel().tolist()
        return values

    cluster = Cluster(2)
    assert cluster.run(body, cluster.world) == [[1.0, 1.0, 1.0]] * 2


@pytest.mark.parametrize("kind", [PerParameter, Flat])
def test_release_frees_views_and_copies_alike(kind: type[Sharding]) -> None:
    def body(group: Group) -> bool:
        sharding = kind([(5, 3), (3,)], 2)
        piece = sharding.shard([group.device.zeros((5, 3)), group.device.zeros(3)], group.rank)
        gather = Gather(sharding, piece, group)
        views = [parameter.T for parameter in gather.wait()]
        gather.release()
        return all(view.is_freed for view in views) and group.device.memory_allocated() == piece.nbytes

    cluster = Cluster(2)
    assert cluster.run(body, cluster.world) == [True, True]


def test_a_reduction_leaves_the_gradient() -> None:
    def body(group: Group) -> tuple[list[float], list[float]]:
        gradient = group.device.zeros((3, 1)) + group.rank
        piece = reduce_scatter(PerParameter([(3, 1)], 2), [gradient], group, "float32")
        return piece.tolist(), gradient.ravel().tolist()

    cluster = Cluster(2)
    assert cluster.run(body, cluster.world) == [([0.5, 0.5], [0.0] * 3), ([0.5, 0.0], [1.0] * 3)]


# Prefetch


@pytest.mark.parametrize("prefetch", [False, True])
def test_the_next_gather_begins_before_this_one_is_waited_for(prefetch: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    log: list[str] = []

    class Watched(Gather):
        def __init__(self, sharding: Sharding, piece: DeviceArray, group: Group) -> None:
            self.rows = sharding.shapes[0][0]
            log.append(f"begin {self.rows}")
            super().__init__(sharding, piece, group)

        def wait(self) -> list[DeviceArray]:
            if self._pieces is not None:
                log.append(f"wait {self.rows}")
            return super().wait()

    monkeypatch.setattr(stage3, "Gather", Watched)

    def body(group: Group) -> None:
        zeros = group.device.zeros
        layers = chain(4, 1, 2, 3)  # units are told apart by their rows
        model = load("stage3")(layers, lambda layer: zeros(layer.shape), group, Settings(prefetch=prefetch))
        model.step(layers, [(zeros((1, 4)), zeros((1, 3)))], 0.5)

    cluster = Cluster(1)
    cluster.run(body, cluster.world)
    if prefetch:
        forward = ["begin 1", "begin 2", "wait 1", "begin 3", "wait 2", "wait 3"]
        backward = ["begin 3", "begin 2", "wait 3", "begin 1", "wait 2", "wait 1"]
    else:
        forward = ["begin 1", "wait 1", "begin 2", "wait 2", "begin 3", "wait 3"]
        backward = ["begin 3", "wait 3", "begin 2", "wait 2", "begin 1", "wait 1"]
    assert log == [*forward, *backward]


# Precision and optimizers


@pytest.mark.parametrize("precision", [ZERO, FSDP], ids=["zero", "fsdp"])
@pytest.mark.parametrize("optimizer", [SGD(), Adam()], ids=["sgd", "adam"])
def test_updates_too_small_for_16_bits_add_up(precision: Precision, optimizer: SGD | Adam) -> None:
    """A hundred steps of 1e-5 from 1, where float16 knows nothing between 1 and 0.9995."""

    def body(group: Group) -> float:
        zeros = group.device.zeros
        layer = Linear("a", (1, 1))
        model = load("stage3")([layer], lambda _: zeros((1, 1)) + 1, group, Settings(optimizer, precision))
        inputs = zeros((1, 1)) + 1
        lr = 1e-5
        for _ in range(100):
            target = model.full_parameters()["a"].astype("float32").astype("float16") - 1  # the gradient is 1
            model.step([layer], [(inputs, target)], lr)
        return float(model.full_parameters()["a"].item())

    cluster = Cluster(2)
    assert cluster.run(body, cluster.world)[0] == pytest.approx(0.999, abs=3e-4)


def test_what_is_sent_and_computed_is_of_the_precision() -> None:
    seen: set[str] = set()

    class Watching(Linear):
        def forward(self, inputs: DeviceArray, weight: DeviceArray) -> tuple[DeviceArray, DeviceArray]:
            seen.update((inputs.dtype.name, weight.dtype.name))
            return super().forward(inputs, weight)

    def body(group: Group) -> None:
        zeros = group.device.zeros
        layers = [Watching("a", (2, 2))]
        model = load("stage3")(layers, lambda layer: zeros(layer.shape), group, Settings(Adam(), FSDP))
        model.step(layers, [(zeros((1, 2)), zeros((1, 2)))], 0.5)
        assert {array.dtype.name for array in model.parameters.values()} == {"float32"}

    cluster = Cluster(2)
    cluster.run(body, cluster.world)
    assert seen == {"float16"}
    assert [(event.operation[:6], event.dtype) for event in cluster.ledger.collectives()] == [
        ("all_ga", "float16"), ("all_ga", "float16"), ("reduce", "float32"),
    ]  # fmt: skip


@pytest.mark.parametrize("precision", [FULL, DOUBLE, ZERO, FSDP])
@pytest.mark.parametrize("optimizer", [SGD(), Adam()])
def test_an_optimizer_keeps_what_it_says(precision: Precision, optimizer: SGD | Adam) -> None:
    parameters = Cluster(1).devices[0].zeros(10, precision.kept)
    state = optimizer.prepare(parameters, precision)
    assert sum(array.nbytes for array in state.values()) == 10 * optimizer.bytes_per_parameter(precision)


@pytest.mark.parametrize("optimizer", [SGD(), Adam()])
def test_an_update_takes_the_scratch_that_it_says_and_leaves_the_gradient(optimizer: SGD | Adam) -> None:
    device = Cluster(1).devices[0]
    parameters, gradients = device.zeros(10), device.zeros(10) + 1
    state = optimizer.prepare(parameters, FULL)
    before = device.memory_allocated()
    device.reset_peak_memory_stats()
    optimizer.update(parameters, gradients, state, 0.5, 1)
    assert device.max_memory_allocated() - before == optimizer.scratch * parameters.nbytes
    assert gradients.tolist() == [1.0] * 10


# Failures


@pytest.mark.parametrize("name", ["shard_grad_op", "reshard_to_node", "no_sync"])
def test_a_step_that_fails_leaves_nothing_gathered_or_waiting(name: str) -> None:
    """It fails between the passes of its second micro-batch, whose targets are too wide."""
    layers = [Linear("a", (4, 4)), Linear("b", (4, 4))]
    cluster = Cluster(2)

    def prepare(group: Group) -> Strategy:
        settings = Settings(node_size=2)
        return load(name)(layers, lambda layer: group.device.zeros(layer.shape), group, settings)

    models = cluster.run(prepare, cluster.world)
    before = cluster.devices[0].memory_allocated()

    def step(model: Strategy, group: Group) -> None:
        zeros = group.device.zeros
        model.step(layers, [(zeros((1, 4)), zeros((1, width))) for width in (4, 5)], 0.5)

    with pytest.raises(ShapeError):
        cluster.run(step, per_rank(models), cluster.world)
    assert cluster.devices[0].memory_allocated() == before


def test_a_layer_that_the_model_lacks_is_refused() -> None:
    def body(group: Group) -> None:
        model = load("stage3")([Linear("a", (1, 1))], lambda layer: group.device.zeros(layer.shape), group)
        batch = group.device.zeros((1, 1)), group.device.zeros((1, 1))
        model.step([Linear("b", (1, 1))], [batch], 0.5)

    cluster = Cluster(1)
    with pytest.raises(ValueError, match="the step uses b, which the model was not made with"):
        cluster.run(body, cluster.world)

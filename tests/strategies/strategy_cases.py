"""Models for the strategies to train, and the same training on one device in plain NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.devices import Cluster, Group
from grader.strategies import Adam, Linear, Precision, Settings, load

Host = npt.NDArray[Any]
DOUBLE = Precision("float64", "float64", "float64")
ALL = ("stage0", "stage1", "stage2", "stage3", "no_sync", "shard_grad_op", "reshard_to_node", "hybrid")


@dataclass(frozen=True)
class Case:
    """Layers in order of use, and those of the model that no step uses."""

    layers: tuple[Linear, ...]
    unused: tuple[Linear, ...] = ()
    units: tuple[tuple[str, ...], ...] = ()
    rows: int = 2

    @property
    def model(self) -> tuple[Linear, ...]:
        return (*self.layers, *self.unused)

    def weights(self) -> dict[str, Host]:
        return dict(_weights(self))

    def batches(self, rank: int, micro_batches: int) -> tuple[tuple[Host, Host], ...]:
        return _batches(self, rank, micro_batches)


@cache
def _weights(case: Case) -> dict[str, Host]:
    random = np.random.RandomState(0)
    return {layer.name: _fixed(random.randint(-1, 2, layer.shape)) for layer in case.model}


@cache
def _batches(case: Case, rank: int, micro_batches: int) -> tuple[tuple[Host, Host], ...]:
    random = np.random.RandomState(100 + rank)
    into, out = case.layers[0].shape[1], case.layers[-1].shape[0]
    return tuple(
        (_fixed(random.randint(-2, 3, (case.rows, into))), _fixed(random.randint(-2, 3, (case.rows, out))))
        for _ in range(micro_batches)
    )


def _fixed(numbers: Host) -> Host:
    """As floats that nobody changes: many tests share them."""
    fixed = numbers.astype(float)
    fixed.flags.writeable = False
    return fixed


def chain(*widths: int) -> tuple[Linear, ...]:
    return tuple(
        Linear(name, (out, into)) for name, into, out in zip("abcdefgh", widths[:-1], widths[1:], strict=False)
    )


CASES = {
    "even": Case(chain(8, 16, 24, 8)),
    "uneven": Case(chain(3, 5, 7, 1, 3)),
    "fewer rows than ranks": Case(chain(1, 1, 2, 1)),
    "tied": Case((Linear("a", (6, 3)), Linear("b", (6, 6)), Linear("b", (6, 6)), Linear("c", (2, 6)))),
    "tied apart": Case((Linear("a", (5, 5)), Linear("b", (5, 5)), Linear("a", (5, 5)))),
    "frozen": Case((Linear("a", (5, 3)), Linear("b", (4, 5), trainable=False), Linear("c", (2, 4)))),
    "frozen group": Case(
        (Linear("a", (5, 3)), Linear("b", (9, 5), trainable=False), Linear("c", (7, 9), trainable=False)),
        units=(("b", "c"),),
    ),
    "unused": Case(chain(3, 5, 2), unused=(Linear("spare", (7, 3)),)),
    "grouped": Case(chain(3, 5, 7, 1, 3), units=(("a", "b"), ("c", "d"))),
    "root only": Case(chain(3, 5, 7, 1, 3), units=(("a", "b", "c", "d"),)),
    "empty": Case((Linear("a", (0, 3)), Linear("b", (2, 0)))),
}


def train(
    name: str, case: Case, cluster: Cluster, settings: Settings, micro_batches: int, steps: int, lr: float
) -> list[dict[str, Host]]:
    """Train with a strategy; each rank's whole weights."""
    host = case.weights()

    def body(group: Group) -> dict[str, Host]:
        array = group.device.array
        model = load(name)(case.model, lambda layer: array(host[layer.name]), group, settings)
        batches = [(array(x), array(y)) for x, y in case.batches(group.rank, micro_batches)]
        for _ in range(steps):
            model.step(case.layers, batches, lr)
        return {parameter: whole.numpy() for parameter, whole in model.full_parameters().items()}

    return cluster.run(body, cluster.world)


@cache
def train_on_one(
    case: Case, ranks: int, micro_batches: int, steps: int, lr: float, optimizer: object
) -> dict[str, Host]:
    """The same in NumPy: all ranks' batches one after the other, the textbook's formulas."""
    weights = case.weights()
    used = {layer.name for layer in case.layers if layer.trainable}
    first = {name: np.zeros_like(weights[name]) for name in used}
    second = {name: np.zeros_like(weights[name]) for name in used}
    for count in range(1, steps + 1):
        gradients = gradients_of(case, weights, ranks, micro_batches)
        for name in used:
            gradient = gradients[name]
            if isinstance(optimizer, Adam):
                first[name] = 0.9 * first[name] + 0.1 * gradient
                second[name] = 0.999 * second[name] + 0.001 * gradient**2
                unbiased = second[name] / (1 - 0.999**count)
                gradient = first[name] / (1 - 0.9**count) / (np.sqrt(unbiased) + 1e-8)
            weights[name] = weights[name] - lr * gradient
    return weights


def gradients_of(case: Case, weights: dict[str, Host], ranks: int, micro_batches: int) -> dict[str, Host]:
    batches = [batch for rank in range(ranks) for batch in case.batches(rank, micro_batches)]
    total = {name: np.zeros_like(weight) for name, weight in weights.items()}
    for inputs, targets in batches:
        activations = [inputs]
        for layer in case.layers:
            activations.append(activations[-1] @ weights[layer.name].T)
        gradient = (activations.pop() - targets) / case.rows
        for layer in reversed(case.layers):
            total[layer.name] += gradient.T @ activations.pop()
            gradient = gradient @ weights[layer.name]
    return {name: gradient / len(batches) for name, gradient in total.items()}


def node_size(ranks: int) -> int:
    """Nodes of two devices where that divides, else of one."""
    return 2 if ranks % 2 == 0 else 1

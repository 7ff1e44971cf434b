"""The models and batches that torch and the simulated cluster both run. Needs NumPy alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

Host = npt.NDArray[Any]
Batch = tuple[Host, Host]


@dataclass(frozen=True, slots=True)
class Layer:
    """A linear layer without bias, ``outputs = inputs @ weight.T``; ``shape`` is (out, in), as in torch."""

    name: str
    shape: tuple[int, int]
    trainable: bool = True


@dataclass(frozen=True, slots=True)
class Case:
    """A chain of layers, in the order of use; two of one name are tied.

    ``units`` are the names that are gathered together, the root's last, which may be none. ``unused`` layers are in
    the model, but not in the chain. The loss is 1/2 * sum((outputs - targets)^2) / rows, its gradient the mean over
    micro-batches and ranks. All numbers are small whole ones, so that only a division can round; with ``seed`` no
    element of a gradient is 0.
    """

    name: str
    layers: tuple[Layer, ...]
    units: tuple[tuple[str, ...], ...]
    unused: tuple[Layer, ...] = ()
    rows: int = 2
    micro_batches: int = 1
    lr: float = 1 / 64
    seed: int = 78

    @property
    def parameters(self) -> dict[str, Layer]:
        """The layers that have a weight of their own, by name."""
        return {layer.name: layer for layer in (*self.layers, *self.unused)}

    def weights(self) -> dict[str, Host]:
        """The weights before the step."""
        random = np.random.RandomState(self.seed)
        return {name: random.randint(-1, 2, layer.shape).astype(float) for name, layer in self.parameters.items()}

    def batches(self, rank: int) -> list[Batch]:
        """The inputs and targets of each micro-batch of ``rank``."""
        random = np.random.RandomState(1000 * (self.seed + 1) + rank)
        into, out = self.layers[0].shape[1], self.layers[-1].shape[0]
        return [
            (
                random.randint(-2, 3, (self.rows, into)).astype(float),
                random.randint(-2, 3, (self.rows, out)).astype(float),
            )
            for _ in range(self.micro_batches)
        ]


def chain(*sizes: int, frozen: str = "") -> tuple[Layer, ...]:
    """Layers a, b, c, … from a number of features to the next.

    >>> [(layer.name, layer.shape) for layer in chain(3, 5, 2)]
    [('a', (5, 3)), ('b', (2, 5))]
    """
    names = "abcdefgh"
    return tuple(
        Layer(name, (out, into), name not in frozen) for name, (into, out) in zip(names, pairwise(sizes), strict=False)
    )


def each_its_own(layers: Sequence[Layer]) -> tuple[tuple[str, ...], ...]:
    """A unit for each layer."""
    return tuple((name,) for name in dict.fromkeys(layer.name for layer in layers))


EVEN = chain(4, 12, 12, 12)
UNEVEN = chain(3, 5, 7, 1, 3)
FROZEN = chain(3, 5, 7, 1, 3, frozen="b")
TIED = (Layer("a", (6, 3)), Layer("b", (6, 6)), Layer("b", (6, 6)), Layer("c", (2, 6)))
DEEP = tuple(Layer(f"layer{place}", (1024, 1024)) for place in range(8))
SPARE = Layer("spare", (5, 3))

CASES = {
    case.name: case
    for case in (
        Case("even", EVEN, each_its_own(EVEN), seed=56),
        Case("uneven", UNEVEN, each_its_own(UNEVEN)),
        Case("grouped", UNEVEN, (("a", "b"), ("c", "d"))),
        Case("root-only", UNEVEN, (("a", "b", "c", "d"),)),
        Case("frozen", FROZEN, each_its_own(FROZEN), seed=2),
        Case("tied", TIED, each_its_own(TIED), seed=0),
        Case("unused", EVEN, (("spare",), *each_its_own(EVEN)), unused=(SPARE,), seed=56),
        Case("micro-batches", UNEVEN, each_its_own(UNEVEN), micro_batches=2),
        Case("deep", DEEP, each_its_own(DEEP), rows=1),
        Case("deep-wrapped", DEEP, (*each_its_own(DEEP), ()), rows=1),
        Case("deep-root-only", DEEP, (tuple(layer.name for layer in DEEP),), rows=1),
    )
}

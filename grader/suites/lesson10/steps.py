"""Training steps: cases, what one device makes of them, and the learner's runs, each shared by several criteria."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from checks import ClusterOf, Pieces, cut, gather_now, values
from layers import Linear

from grader.authoring import Failed, Run, measured
from grader.authoring.judging import Host, Once, counted, difference, gradients
from grader.devices import Cluster, DeviceArray, per_rank
from grader.devices.hardware import Hardware

Weights = Mapping[str, Host]
Batch = tuple[Host, Host]

DRAWS = 100
TOLERANCE = {"float64": 1e-12, "float32": 1e-6}


@dataclass(frozen=True, slots=True)
class StepCase:
    """A model, its batches and a number of ranks. Where N, rows and lr are powers of two, no number is rounded.

    With ``signed`` all layers begin with one weight, a permutation with signs, which keeps the size of what flows
    through many of them. ``idle`` ranks see batches of zeros, so that their first gradients are zeros. On ``hardware``
    the step takes time.
    """

    world_size: int
    layers: tuple[Linear, ...]
    rows: int = 2
    micro_batches: int = 1
    steps: int = 1
    lr: float = 0.125
    dtype: str = "float64"
    unused: tuple[Linear, ...] = ()
    signed: bool = False
    idle: tuple[int, ...] = ()
    hardware: Hardware | None = None

    @property
    def weights(self) -> dict[str, Linear]:
        """A layer for each name in ``shards``, those that no layer has included."""
        return {layer.name: layer for layer in (*self.layers, *self.unused)}

    @property
    def rtol(self) -> float:
        """How far off a weight may be: not at all, where no number is rounded."""
        exact = self.world_size & (self.world_size - 1) == 0
        return 0.0 if exact else TOLERANCE[self.dtype]

    def piece_bytes(self, layers: Sequence[Linear]) -> int:
        """The bytes of one rank's pieces of these layers, for sizes that divide."""
        elements = sum(math.prod(layer.shape) for layer in layers)
        return int(elements * np.dtype(self.dtype).itemsize // self.world_size)

    @property
    def call(self) -> str:
        """The call in words."""
        shapes = ", ".join(str(layer.shape) for layer in self.layers[:4])
        more = f", … {len(self.layers) - 4} more" if len(self.layers) > 4 else ""
        batches = counted(self.micro_batches, "batch", "batches")
        return f"train_step(layers, …), layers of shape {shapes}{more}, {batches} of {self.rows}, {self.dtype}"


def chain(*sizes: int, frozen: Sequence[int] = ()) -> tuple[Linear, ...]:
    """Layers a, b, c, … from a number of features to the next.

    >>> [layer.shape for layer in chain(4, 8, 2)]
    [(8, 4), (2, 8)]
    """
    pairs = enumerate(pairwise(sizes))
    return tuple(Linear(chr(ord("a") + place), (out, into), place not in frozen) for place, (into, out) in pairs)


# What one device makes of it


def updated(case: StepCase, weights: Weights, ranks: Sequence[Sequence[Batch]], divisor: float) -> dict[str, Host]:
    """The weights after a step down the gradient of all batches of all ranks, divided by ``divisor``."""
    steps = gradients(case.layers, weights, [batch for batches in ranks for batch in batches])
    return {name: weight - case.lr / divisor * steps.get(name, 0) for name, weight in weights.items()}


def draw(case: StepCase, rng: np.random.Generator) -> tuple[dict[str, Host], list[list[Batch]]]:
    """Small whole numbers as weights and as batches by rank, such that every trainable weight changes."""
    for _ in range(DRAWS):
        weights = _signed(case, rng) if case.signed else _small(case, rng)
        ranks = draw_batches(case, rng)
        steps = gradients(case.layers, weights, [batch for batches in ranks for batch in batches])
        if all(step.any() for step in steps.values()):
            return weights, ranks
    raise RuntimeError(f"no draw of {case} changes every weight")


def _small(case: StepCase, rng: np.random.Generator) -> dict[str, Host]:
    return {name: rng.integers(-1, 2, layer.shape).astype(case.dtype) for name, layer in case.weights.items()}


def _signed(case: StepCase, rng: np.random.Generator) -> dict[str, Host]:
    rows, columns = case.layers[0].shape
    one = rng.permutation(np.eye(rows, columns)) * rng.choice([-1, 1], rows)
    return dict.fromkeys(case.weights, one.astype(case.dtype))


def draw_batches(case: StepCase, rng: np.random.Generator) -> list[list[Batch]]:
    """The micro-batches of each rank."""
    into, out = case.layers[0].shape[1], case.layers[-1].shape[0]

    def numbers(width: int) -> Host:
        return rng.integers(-3, 4, (case.rows, width)).astype(case.dtype)

    return [
        [(numbers(into) * (rank not in case.idle), numbers(out)) for _ in range(case.micro_batches)]
        for rank in range(case.world_size)
    ]


# What the learner makes of it


@dataclass(frozen=True, slots=True)
class Step:
    """The last step of a case: its run, and the weights and batches before and after."""

    case: StepCase
    run: Run
    batches: list[list[tuple[DeviceArray, DeviceArray]]]
    ranks: list[list[Batch]]
    before: Weights
    after: Weights

    def wrong(self, weights: Weights) -> str | None:
        """The first name whose weight after the step is not the one in ``weights``."""
        names = self.case.weights
        return next((name for name in names if difference(weights[name], self.after[name], self.case.rtol)), None)

    def expect_right(self) -> None:
        """The weights must be those of one device that sees the batches of all ranks."""
        case = self.case
        expected = updated(case, self.before, self.ranks, case.world_size * case.micro_batches)
        name = self.wrong(expected)
        if name is not None:
            different = difference(expected[name], self.after[name], case.rtol)
            assert different is not None
            cause = self._diagnosis(name)
            raise Failed(
                cause,
                call=case.call,
                world_size=case.world_size,
                expected="the weights of one device that sees the batches of all ranks",
                actual=f"{cause} {different.count} of {different.total} elements of weight {name!r} differ",
                detail=different,
            )

    def _diagnosis(self, name: str) -> str:
        """What went wrong, if it is one of the usual things."""
        case, ranks = self.case, self.ranks
        mean = case.world_size * case.micro_batches
        last = [batches[-1:] for batches in ranks]
        suspects = [
            ("The arrays in `shards` still hold the old weights.", self.before),
            ("The gradient is the sum over ranks, not the mean.", self._made(ranks, case.micro_batches)),
            ("The gradient is the sum over micro-batches, not the mean.", self._made(ranks, case.world_size)),
            ("The gradient is divided by the number of ranks twice.", self._made(ranks, mean * case.world_size)),
            ("The step goes up the gradient, not down.", self._made(ranks, -mean)),
            ("Only the last micro-batch counts.", self._made(last, case.world_size)),
            ("Only the last micro-batch counts.", self._made(last, mean)),
        ]
        for text, weights in suspects:
            if self.wrong(weights) is None:
                return text
        if name in {layer.name for layer in case.unused}:
            return "A shard that no layer has was changed."
        if not case.weights[name].trainable:
            return "The weight of a frozen layer was changed."
        return "A weight after the step is not the one that one device would have."

    def _made(self, ranks: Sequence[Sequence[Batch]], divisor: float) -> Weights:
        return updated(self.case, self.before, ranks, divisor)


class Steps:
    """The learner's steps. ``taken`` runs each case once, when it is first asked for."""

    def __init__(self, student: Any, cluster_of: ClusterOf, seed: int) -> None:
        self._student = student
        self._cluster_of = cluster_of
        self._seed = seed
        self.taken = Once(self._take)

    def right(self, case: StepCase) -> Step:
        """The step, whose weights must be right."""
        step = self.taken(case)
        step.expect_right()
        return step

    def _take(self, case: StepCase) -> Step:
        rng = np.random.default_rng([self._seed, case.world_size, len(case.layers)])
        cluster = self._cluster_of(case.world_size, hardware=case.hardware)
        weights, ranks = draw(case, rng)
        parameters: dict[str, Pieces] = {}
        for name, weight in weights.items():
            same = next((pieces for pieces in parameters.values() if pieces.host is weight), None)
            parameters[name] = same.again() if same else cut(self._student, cluster, weight)
        for pieces in parameters.values():
            pieces.wholes.clear()
        step = self._one(case, cluster, parameters, weights, ranks)
        for _ in range(case.steps - 1):
            step = self._one(case, cluster, parameters, step.after, draw_batches(case, rng))
        return step

    def _one(
        self,
        case: StepCase,
        cluster: Cluster,
        parameters: Mapping[str, Pieces],
        before: Weights,
        ranks: list[list[Batch]],
    ) -> Step:
        shards = [{name: pieces.arrays[rank] for name, pieces in parameters.items()} for rank in range(case.world_size)]
        batches = [
            [(device.array(inputs), device.array(targets)) for inputs, targets in given]
            for device, given in zip(cluster.devices, ranks, strict=True)
        ]
        arguments = (list(case.layers), per_rank(shards), per_rank(batches), cluster.world, case.lr)
        run = measured(cluster, self._student.train_step, *arguments)
        for name, pieces in parameters.items():
            for rank, piece in enumerate(pieces.arrays):
                if piece.is_freed:
                    raise Failed(
                        "train_step frees an array in `shards`.",
                        call=case.call,
                        world_size=case.world_size,
                        rank=rank,
                        expected="the arrays in `shards`, with new values",
                        actual=f"the storage of shards[{name!r}] given back",
                    )
        after = {name: values(gather_now(self._student, pieces)[1][0]) for name, pieces in parameters.items()}
        return Step(case, run, batches, ranks, before, after)


def deeper(case: StepCase, count: int) -> StepCase:
    """The case with its first layer ``count`` times over, each under a name of its own."""
    first = case.layers[0]
    return replace(case, layers=tuple(replace(first, name=f"layer{place}") for place in range(count)))

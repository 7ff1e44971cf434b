"""Training steps: cases, what one device makes of them, and the learner's runs, each shared by several criteria."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
from adam import Adam
from checks import ClusterOf, arrays_in, chain, described, elements, kept_in
from layers import Linear

from grader.authoring import Failed, Run, measured, memory, place_of
from grader.authoring.judging import (
    Host,
    Once,
    alive_at_peak,
    by_line,
    counted,
    difference,
    expect_no_host_copies,
    gradients,
    tally,
)
from grader.devices import RANK, Cluster, DeviceArray, per_rank

Weights: TypeAlias = Mapping[str, Host]
Batch: TypeAlias = tuple[Host, Host]
Batches: TypeAlias = Sequence[Sequence[Batch]]  # by rank, then by micro-batch

DRAWS = 100
ITEM, STATE_BYTES = 2, 12
TOLERANCE = 1e-3  # of the largest weight: one step of float16


@dataclass(frozen=True, slots=True)
class StepCase:
    """A model, its batches, a number of ranks and of steps. Layers in ``joining`` come before the last step.

    ``repeated`` steps all see the batches of the first.
    """

    world_size: int
    layers: tuple[Linear, ...]
    rows: int = 2
    micro_batches: int = 1
    steps: int = 1
    lr: float = 0.5
    epsilon: float = 1.0
    joining: tuple[Linear, ...] = ()
    unused: tuple[Linear, ...] = ()
    repeated: bool = False

    def layers_at(self, step: int) -> tuple[Linear, ...]:
        """The layers in step number ``step``, from 1."""
        return (*self.layers, *self.joining) if step == self.steps else self.layers

    def adam(self, step: int) -> Any:
        """The optimizer in step number ``step``."""
        return Adam(self.lr, step, epsilon=self.epsilon)

    def described(self, name: str) -> str:
        """A call of ``name`` in words."""
        shown = described(self.layers_at(self.steps))
        return f"{name}(layers, …), {shown}, {counted(self.micro_batches, 'batch', 'batches')} of {self.rows}"


def deeper(case: StepCase, count: int) -> StepCase:
    """The case with its first layer ``count`` times over, each under a name of its own."""
    return replace(case, layers=tuple(replace(case.layers[0], name=f"layer{place}") for place in range(count)))


ONE = StepCase(1, chain(2, 4))
EVEN = StepCase(4, chain(4, 8, 12, 4))
RANKS = [
    StepCase(1, chain(3, 5, 2)),
    StepCase(2, chain(4, 5, 3)),
    StepCase(3, chain(3, 4, 2), rows=3),
    StepCase(8, chain(2, 3)),
]
AGAIN = StepCase(2, chain(2, 4, 2), steps=3)
TINY = StepCase(2, chain(4, 4), steps=12, lr=2e-4, epsilon=1e-8, repeated=True)
EQUAL = StepCase(4, chain(8, 8, 8, 8, 8))
WIDE = StepCase(4, chain(32, 32), rows=1)
SHALLOW, DEEP = deeper(WIDE, 4), deeper(WIDE, 12)  # as many on each rank, where whole weights are given to ranks
MICRO = StepCase(2, chain(4, 4, 2), micro_batches=4)
TIED = StepCase(2, tuple(Linear(name, (4, 4)) for name in "abcb"))
FROZEN = StepCase(2, chain(2, 4, 4, 2, frozen=[1]), unused=(Linear("spare", (4, 4)),))
JOINED = StepCase(2, chain(2, 4), steps=2, joining=(Linear("late", (4, 4)),))


# What one device makes of it


def trained(
    case: StepCase, start: Weights, history: Sequence[Batches], divisor: float, forgetful: bool = False
) -> dict[str, Host]:
    """The weights after steps down the gradients of all batches, divided by ``divisor``.

    One who is ``forgetful`` begins every step with momentum and variance of 0.
    """
    masters = {name: weight.astype("float32") for name, weight in start.items()}
    moments: dict[str, tuple[Host, Host]] = {}
    for step, ranks in enumerate(history, 1):
        weights = {name: master.astype("float16").astype("float64") for name, master in masters.items()}
        batches = [batch for rank in ranks for batch in rank]
        for name, total in gradients(case.layers_at(step), weights, batches).items():
            zeros = (np.zeros_like(masters[name]), np.zeros_like(masters[name]))
            momentum, variance = zeros if forgetful else moments.setdefault(name, zeros)
            case.adam(step).update(masters[name], momentum, variance, (total / divisor).astype("float32"))
    return {name: master.astype("float16") for name, master in masters.items()}


def draw(case: StepCase, rng: np.random.Generator) -> tuple[dict[str, Host], list[Batches]]:
    """Weights of one 1 or -1 a row, and small whole numbers as batches, such that every trainable weight changes."""
    layers = (*case.layers_at(case.steps), *case.unused)
    for _ in range(DRAWS):
        weights = {layer.name: _weight(layer.shape, case.repeated, rng) for layer in layers}
        history = [_batches(case, step, rng) for step in range(1, case.steps + 1)]
        if case.repeated:
            history = history[:1] * case.steps
        every = [
            gradients(case.layers_at(step), weights, [batch for rank in ranks for batch in rank])
            for step, ranks in enumerate(history, 1)
        ]
        if all(gradient.any() for found in every for gradient in found.values()):
            return weights, history
    raise RuntimeError(f"no draw of {case} changes every weight")


def _weight(shape: tuple[int, int], dense: bool, rng: np.random.Generator) -> Host:
    signs = rng.choice([-1, 1], shape)
    if dense:
        return signs.astype("float16")
    rows, columns = shape
    places = np.concatenate([rng.permutation(columns) for _ in range(-(-rows // columns))])[:rows]
    chosen: Host = (signs * (places[:, None] == np.arange(columns))).astype("float16")
    return chosen


def _batches(case: StepCase, step: int, rng: np.random.Generator) -> Batches:
    layers = case.layers_at(step)

    def numbers(width: int) -> Host:
        return rng.integers(-2, 3, (case.rows, width)).astype("float16")

    return [
        [(numbers(layers[0].shape[1]), numbers(layers[-1].shape[0])) for _ in range(case.micro_batches)]
        for _ in range(case.world_size)
    ]


# What the learner makes of it


@dataclass(frozen=True, slots=True)
class Step:
    """The last step of a case: its run, and the weights before the first step and after the last, by rank."""

    case: StepCase
    name: str
    run: Run
    start: Weights
    history: list[Batches]
    batches: list[list[tuple[DeviceArray, DeviceArray]]]
    model_bytes: list[int]
    after: list[dict[str, Host]]

    @property
    def told(self) -> dict[str, Any]:
        """What a failure says of the call."""
        return {"call": self.case.described(self.name), "world_size": self.case.world_size}

    def expect_right(self) -> None:
        """The weights of every rank must be those of one device that sees all batches."""
        case = self.case
        expected = self._made(case.world_size * case.micro_batches)
        for rank in range(case.world_size):
            name = self._wrong(expected, rank)
            if name is not None:
                different = difference(_wide(expected[name]), _wide(self.after[rank][name]), TOLERANCE)
                assert different is not None
                cause = self._diagnosis(name, rank)
                raise Failed(
                    cause,
                    **self.told,
                    rank=rank,
                    expected="the weights of one device that sees the batches of all ranks",
                    actual=f"{cause} {different.count} of {different.total} elements of weight {name!r} differ",
                    detail=different,
                )

    def expect_same(self) -> None:
        """The step must change the weights, and to the same on every rank."""
        if all(np.array_equal(self.after[0][name], weight) for name, weight in self.start.items()):
            raise Failed("The arrays in `parameters` still hold the old weights.", **self.told, rank=0)
        for rank, weights in enumerate(self.after):
            for name, weight in weights.items():
                different = difference(self.after[0][name], weight)
                if different is not None:
                    raise Failed(
                        "Ranks have different weights after the step.",
                        **self.told,
                        rank=rank,
                        expected=f"the weight {name!r} of rank 0",
                        actual=f"{different.count} of {different.total} elements differ",
                        detail=different,
                    )

    def _made(self, divisor: float, forgetful: bool = False) -> Weights:
        return trained(self.case, self.start, self.history, divisor, forgetful)

    def _wrong(self, weights: Weights, rank: int) -> str | None:
        """The first name whose weight on ``rank`` is not the one in ``weights``."""
        after = self.after[rank]
        return next((name for name in after if difference(_wide(weights[name]), _wide(after[name]), TOLERANCE)), None)

    def _diagnosis(self, name: str, rank: int) -> str:
        """What went wrong, if it is one of the usual things."""
        case = self.case
        mean = case.world_size * case.micro_batches
        last = [[batches[-1:] for batches in ranks] for ranks in self.history]
        suspects = [
            ("The arrays in `parameters` still hold the old weights.", self.start),
            ("The gradient is the sum over ranks, not the mean.", self._made(case.micro_batches)),
            ("The gradient is the sum over micro-batches, not the mean.", self._made(case.world_size)),
            ("The gradient is divided by the number of ranks twice.", self._made(mean * case.world_size)),
            ("Only the last micro-batch counts.", trained(case, self.start, last, case.world_size)),
            ("Only the last micro-batch counts.", trained(case, self.start, last, mean)),
            ("Every step begins with momentum and variance of 0.", self._made(mean, forgetful=True)),
        ]
        for text, weights in suspects:
            if self._wrong(weights, rank) is None:
                return text
        layers = {layer.name: layer for layer in case.layers_at(case.steps)}
        if name not in layers:
            return "A weight that no layer has was changed."
        if not layers[name].trainable:
            return "The weight of a frozen layer was changed."
        return "A weight after the step is not the one that one device would have."

    def expect_at_rest(self, whole: int, divided: int) -> None:
        """A rank must hold these bytes a parameter, the second divided by the ranks, before the step and after."""
        case = self.case
        parameters = elements(case.layers)
        bound = whole * parameters + divided * parameters // case.world_size
        for rank, (held, before, after) in enumerate(
            zip(self.model_bytes, self.run.before, self.run.after, strict=True)
        ):
            found = held + after - before
            if found > bound:
                left = [event for event in self.run.ledger.live(rank) if event.bytes]
                points = [("before the step", held), ("after the step", found)]
                raise Failed(
                    "A rank holds more than its share at rest.",
                    **self.told,
                    rank=rank,
                    expected=f"at most {bound:,} bytes of model states: {whole} x {parameters} "
                    f"+ {divided} x {parameters} / {case.world_size}",
                    actual=f"{found:,} bytes",
                    detail=memory(points, bound, by_line(left)),
                    where=place_of(left[0].where) if left else None,
                )

    def expect_no_all_reduce(self) -> None:
        """Gradients must not be all-reduced, nor anything be copied to the host."""
        found = self.run.ledger.collectives()
        for each in found:
            if each.operation == "all_reduce":
                raise Failed(
                    "An all-reduce where a reduce-scatter does.",
                    **self.told,
                    expected="one reduce-scatter of each gradient, and no all-reduce",
                    actual=tally(found),
                    where=place_of(each.shares[0].where),
                )
        expect_no_host_copies(self.run, self.name, self.case.described(self.name))

    def expect_sent(self, reduced: int) -> None:
        """On average a rank may send the gradients of ``reduced`` parameters, and all trainable weights once."""
        case, ledger = self.case, self.run.ledger
        bound = (case.world_size - 1) * ITEM * (reduced + elements(case.layers_at(case.steps)))
        sent = sum(ledger.bytes_sent(rank) for rank in range(case.world_size))
        if sent > bound:
            found = ledger.collectives()
            most = max(found, key=lambda each: sum(share.sent for share in each.shares))
            raise Failed(
                "The step sends more than gradients once and weights once.",
                **self.told,
                expected=f"at most {bound:,} bytes sent by all ranks together: gradients of {reduced} parameters and "
                "their new weights, in 16 bits, (N-1)/N of each on average",
                actual=f"{sent:,} bytes, in {tally(found)}",
                where=place_of(most.shares[0].where),
            )


def _wide(host: Host) -> Host:
    return host.astype("float64")


def expect_flat_peak(shallow: Step, deep: Step, weights: float, what: str) -> None:
    """From one case to the other the peak above rest must grow by less than ``weights`` weights for each layer."""
    more = len(deep.case.layers) - len(shallow.case.layers)
    unit = ITEM * elements(deep.case.layers[:1])
    for rank, (low, high) in enumerate(zip(shallow.run.peak_above_rest, deep.run.peak_above_rest, strict=True)):
        bound = low + int(more * unit * weights)
        if high >= bound:
            lines = by_line(alive_at_peak(deep.run, rank))
            points = [
                (f"peak above rest, {len(shallow.case.layers)} layers", low),
                (f"peak above rest, {len(deep.case.layers)} layers", high),
            ]
            raise Failed(
                "The peak grows with the number of layers.",
                **deep.told,
                rank=rank,
                expected=f"less than {int(unit * weights):,} bytes more for each layer, {what}",
                actual=f"{(high - low) // more:,} bytes more for each layer, whose weight has {unit:,}",
                detail=memory(points, bound, lines),
                where=lines[0].place if lines else None,
            )


@dataclass(slots=True)
class Rank:
    """What a rank has between steps."""

    parameters: dict[str, DeviceArray] = field(default_factory=dict)
    gradients: dict[str, Any] = field(default_factory=dict)
    state: dict[str, Any] = field(default_factory=dict)

    @property
    def bytes(self) -> int:
        """Bytes of its model states."""
        arrays = arrays_in([self.parameters, self.gradients, self.state])
        return sum({array.storage.number: array.storage.nbytes for array in arrays}.values())


class Steps:
    """The steps of a stage. ``taken`` runs each case once, when it is first asked for."""

    def __init__(self, stage: int, student: Any, cluster_of: ClusterOf, seed: int) -> None:
        self._stage = stage
        self._name = f"train_step_stage{stage}"
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
        cluster = self._cluster_of(case.world_size)
        start, history = draw(case, rng)
        ranks = [Rank() for _ in cluster.devices]
        self._join(cluster, ranks, case.layers, {name: start[name] for name in _names(case.layers, case.unused)})
        for number, given in enumerate(history, 1):
            if number == case.steps and case.joining:
                self._join(cluster, ranks, case.joining, {name: start[name] for name in _names(case.joining)})
            batches = [
                [(device.array(inputs), device.array(targets)) for inputs, targets in own]
                for device, own in zip(cluster.devices, given, strict=True)
            ]
            run = self._run(case, number, cluster, ranks, batches)
        return Step(
            case,
            self._name,
            run,
            start,
            history,
            batches,
            [rank.bytes for rank in ranks],
            [{name: array.numpy() for name, array in rank.parameters.items()} for rank in ranks],
        )

    def _join(self, cluster: Cluster, ranks: list[Rank], layers: Sequence[Linear], weights: Weights) -> None:
        """Give every rank the weights of these layers, and what belongs to them."""
        names = dict.fromkeys(layer.name for layer in layers if layer.trainable)
        for rank, device in zip(ranks, cluster.devices, strict=True):
            rank.parameters |= {name: device.array(weight) for name, weight in weights.items()}
        parameters = [{name: rank.parameters[name] for name in weights} for rank in ranks]
        made = cluster.run(
            self._student.partition_optimizer_state, list(layers), per_rank(parameters), RANK, cluster.world_size
        )
        kept_in(made, cluster, "partition_optimizer_state")
        for rank, state in zip(ranks, made, strict=True):
            rank.state |= state
        for name in names:
            zeros = [{name: device.zeros(weights[name].shape, "float16")} for device in cluster.devices]
            if self._stage == 2:
                states = per_rank([rank.state for rank in ranks])
                zeros = cluster.run(self._student.reduce_gradients, per_rank(zeros), states, cluster.world)
                kept_in(zeros, cluster, "reduce_gradients")
            for rank, added in zip(ranks, zeros, strict=True):
                rank.gradients |= added

    def _run(self, case: StepCase, number: int, cluster: Cluster, ranks: list[Rank], batches: list[Any]) -> Run:
        for rank in ranks:
            for array in arrays_in(rank.gradients):
                array[...] = 0
        run = measured(
            cluster,
            getattr(self._student, self._name),
            list(case.layers_at(number)),
            per_rank([rank.parameters for rank in ranks]),
            per_rank([rank.gradients for rank in ranks]),
            per_rank([rank.state for rank in ranks]),
            per_rank(batches),
            cluster.world,
            case.adam(number),
        )
        for place, rank in enumerate(ranks):
            for what in ("parameters", "gradients", "state"):
                if any(array.is_freed for array in arrays_in(getattr(rank, what))):
                    raise Failed(
                        f"{self._name} frees an array in `{what}`.",
                        call=case.described(self._name),
                        world_size=case.world_size,
                        rank=place,
                        expected=f"the arrays in `{what}`, with new values",
                        actual="the storage of one given back",
                    )
        return run


def _names(*layers: Sequence[Linear]) -> list[str]:
    return list(dict.fromkeys(layer.name for each in layers for layer in each))

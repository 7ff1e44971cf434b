"""What the criteria share: models of known elements, and what the learner's functions keep of them by rank."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from layers import Linear

from grader.authoring import Failed, Run, measured, memory
from grader.authoring.judging import Host, allocated_at, by_line, counted
from grader.devices import RANK, Cluster, DeviceArray, per_rank
from grader.results import Place

ClusterOf: TypeAlias = Callable[..., Cluster]
Case: TypeAlias = tuple[tuple[Linear, ...], int]

FIRST = 101
LARGEST = 100_000


def chain(*sizes: int, frozen: Sequence[int] = ()) -> tuple[Linear, ...]:
    """Layers a, b, c, … from a number of features to the next.

    >>> [layer.shape for layer in chain(4, 8, 2)]
    [(8, 4), (2, 8)]
    """
    pairs = enumerate(pairwise(sizes))
    return tuple(Linear(chr(ord("a") + place), (out, into), place not in frozen) for place, (into, out) in pairs)


# Layers and a number of ranks. The first has as many layers as ranks, all of one size.
EVEN: Sequence[Case] = [(chain(4, 4, 4), 2), (chain(4, 4, 4, 4, 4), 4), (chain(2, 5, 3), 1)]
UNEVEN: Sequence[Case] = [(chain(3, 7, 5), 4), (chain(2, 5, 3), 2), (chain(3, 5, 2, 4), 3)]
SMALL: Sequence[Case] = [(chain(2, 3), 8), (chain(2, 1, 1), 4), (chain(1, 1), 2), (chain(5, 1), 3)]


def elements(layers: Sequence[Linear], trainable: bool = True) -> int:
    """How many parameters there are, those of tied layers once; the trainable ones, or all."""
    shapes = {layer.name: layer.shape for layer in layers if layer.trainable or not trainable}
    return sum(map(math.prod, shapes.values()))


def padded_elements(layers: Sequence[Linear], world_size: int) -> int:
    """The most elements that all ranks together may keep of the trainable weights, padding included.

    >>> padded_elements(chain(3, 5), 4)
    24
    """
    shapes = {layer.name: layer.shape for layer in layers if layer.trainable}
    return sum(world_size * -(-rows // world_size) * columns for rows, columns in shapes.values())


def numbered(layers: Sequence[Linear], first: int = FIRST, step: int = 1) -> dict[str, Host]:
    """Weights whose elements are all different, and exact in float16."""
    found: dict[str, Host] = {}
    for layer in layers:
        if layer.name not in found:
            size = math.prod(layer.shape)
            found[layer.name] = (first + step * np.arange(size)).reshape(layer.shape).astype("float16")
            first += step * size
    return found


def on_devices(cluster: Cluster, hosts: Mapping[str, Host]) -> list[dict[str, DeviceArray]]:
    """The same weights on every device."""
    return [{name: device.array(host) for name, host in hosts.items()} for device in cluster.devices]


def described(layers: Sequence[Linear]) -> str:
    """The shapes of a model in words.

    >>> described(chain(4, 8, 2))
    'layers of shape (8, 4), (2, 8)'
    """
    shapes = ", ".join(str(layer.shape) for layer in layers[:4])
    return f"layers of shape {shapes}" + (f", … {len(layers) - 4} more" if len(layers) > 4 else "")


# What the learner returned


def arrays_in(value: Any) -> Iterator[DeviceArray]:
    """All arrays in a value, however it nests them."""
    if type(value) is DeviceArray:
        yield value
    elif isinstance(value, (dict, list, tuple)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from arrays_in(each)


def kept_in(results: Sequence[Any], cluster: Cluster, name: str) -> list[list[DeviceArray]]:
    """The arrays in what a run returned, by rank, once it is sure that they can be looked at."""
    found = [list(arrays_in(result)) for result in results]
    for rank, arrays in enumerate(found):
        for array in arrays:
            if array.machine is not cluster.machine or array.storage.rank != rank:
                raise Failed(f"{name} returned an array that is not on the device of its rank.", rank=rank)
            if array.is_freed:
                raise Failed(f"{name} returned an array whose storage it has given back.", rank=rank)
        size = sum(array.size for array in arrays)
        if size > LARGEST:
            raise Failed(f"{name} returned far more than it should.", rank=rank, actual=f"{size:,} elements")
    return found


@dataclass(frozen=True, slots=True)
class Kept:
    """A run of a function of the learner's, and the arrays that it returned by rank."""

    name: str
    call: str
    run: Run
    arrays: list[list[DeviceArray]]

    @property
    def told(self) -> dict[str, Any]:
        """What a failure says of the call."""
        return {"call": self.call, "world_size": len(self.arrays)}

    def made_at(self, rank: int) -> Place | None:
        """The line that allocated the first array of a rank."""
        arrays = self.arrays[rank]
        return allocated_at(self.run.ledger, arrays[0]) if arrays else None

    def values(self, rank: int) -> Host:
        """The elements of all arrays of a rank, in one dimension."""
        found = [array.numpy().ravel().astype("float64") for array in self.arrays[rank]]
        return np.concatenate([np.zeros(0), *found])

    def stored(self, rank: int) -> int:
        """The bytes of the storages under the arrays of a rank."""
        return sum({array.storage.number: array.storage.nbytes for array in self.arrays[rank]}.values())


def expect_share(kept: Kept, bound: int, what: str) -> None:
    """No rank may store more than ``bound`` bytes."""
    for rank in range(len(kept.arrays)):
        stored = kept.stored(rank)
        if stored > bound:
            numbers = {array.storage.number for array in kept.arrays[rank]}
            lines = by_line([event for event in kept.run.ledger.live(rank) if event.storage in numbers])
            raise Failed(
                f"{kept.name} keeps more than a rank's share.",
                **kept.told,
                rank=rank,
                expected=f"at most {bound:,} bytes, {what}",
                actual=f"{stored:,} bytes",
                detail=memory([("share", bound), ("kept", stored)], bound, lines),
                where=lines[0].place if lines else None,
            )


def expect_total(kept: Kept, bound: int) -> None:
    """All ranks together may not store more than ``bound`` bytes."""
    total = sum(kept.stored(rank) for rank in range(len(kept.arrays)))
    if total > bound:
        raise Failed(
            f"{kept.name} keeps more on all ranks together than pieces and their padding.",
            **kept.told,
            expected=f"at most {bound:,} bytes on all ranks",
            actual=f"{total:,} bytes",
            where=kept.made_at(0),
        )


# Optimizer state


@dataclass(frozen=True, slots=True)
class State:
    """A model and its optimizer state by rank, as the learner's ``partition_optimizer_state`` made it."""

    cluster: Cluster
    layers: tuple[Linear, ...]
    hosts: dict[str, Host]
    parameters: list[dict[str, DeviceArray]]
    kept: Kept

    @property
    def numbers(self) -> Host:
        """The values of all trainable parameters."""
        names = {layer.name for layer in self.layers if layer.trainable}
        return np.concatenate([np.zeros(0), *(self.hosts[name].ravel() for name in sorted(names))])


def partitioned(
    student: Any, cluster_of: ClusterOf, layers: tuple[Linear, ...], world_size: int, *more: Linear
) -> State:
    """Have the learner's function make the state of ``layers``. Parameters of ``more`` are there, too."""
    cluster = cluster_of(world_size)
    hosts = numbered([*layers, *more])
    parameters = on_devices(cluster, hosts)
    run = measured(cluster, student.partition_optimizer_state, list(layers), per_rank(parameters), RANK, world_size)
    name = "partition_optimizer_state"
    call = f"{name}(layers, parameters, rank, {world_size}), {described(layers)}"
    return State(cluster, layers, hosts, parameters, Kept(name, call, run, kept_in(run.results, cluster, name)))


def expect_state(state: State) -> None:
    """Some rank must have the master copy of every parameter, and two zeros beside each."""
    kept, wanted = state.kept, state.numbers
    found = [kept.values(rank) for rank in range(len(kept.arrays))]
    lost = np.flatnonzero(~np.isin(wanted, np.concatenate(found)))
    if lost.size:
        raise Failed(
            "Some parameters have no master copy on any rank.",
            **kept.told,
            expected="the value of every trainable parameter on some rank",
            actual=f"{lost.size} of {wanted.size} values on no rank",
            where=kept.made_at(0),
        )
    for rank, values in enumerate(found):
        own, zeros = int(np.isin(values, wanted).sum()), int((values == 0).sum())
        if zeros < 2 * own:
            raise Failed(
                "Not every master copy has momentum and variance beside it, both 0.",
                **kept.told,
                rank=rank,
                expected=f"{2 * own} zeros for {counted(own, 'parameter')}",
                actual=counted(zeros, "zero"),
                where=kept.made_at(rank),
            )


def expect_once(state: State) -> None:
    """No parameter may have state in two places."""
    kept = state.kept
    found = np.concatenate([kept.values(rank) for rank in range(len(kept.arrays))])
    values, counts = np.unique(found[np.isin(found, state.numbers)], return_counts=True)
    twice = int((counts > 1).sum())
    if twice:
        raise Failed(
            "Some parameters have optimizer state more than once.",
            **kept.told,
            expected="each parameter's state on one rank, once",
            actual=f"{twice} of {values.size} parameters have it again",
            where=kept.made_at(0),
        )


# Gradients


@dataclass(frozen=True, slots=True)
class Means:
    """Gradients by rank, and what the learner's ``reduce_gradients`` made of them, with the state of their weights."""

    state: State
    hosts: list[dict[str, Host]]
    gradients: list[dict[str, DeviceArray]]
    kept: Kept

    @property
    def mean(self) -> Host:
        """The elements of the mean over ranks."""
        return self.total / len(self.hosts)

    @property
    def total(self) -> Host:
        """The elements of the sum over ranks."""
        ranks = [np.concatenate([host.ravel() for host in hosts.values()]) for hosts in self.hosts]
        total: Host = np.sum(ranks, axis=0, dtype="float64")
        return total


def reduced(
    student: Any,
    cluster_of: ClusterOf,
    layers: tuple[Linear, ...],
    world_size: int,
    dtype: str = "float16",
    only: str | None = None,
) -> Means:
    """Have the learner's function average gradients of known elements, no mean of which is also a sum.

    They are the gradients of all weights, or of ``only`` one.
    """
    state = partitioned(student, cluster_of, layers, world_size)
    wholes = {name: host for name, host in numbered(layers, 8, 8).items() if only in (None, name)}
    hosts = [{name: (host + 2 * rank).astype(dtype) for name, host in wholes.items()} for rank in range(world_size)]
    gradients = [
        {name: device.array(host) for name, host in own.items()}
        for device, own in zip(state.cluster.devices, hosts, strict=True)
    ]
    states = per_rank(state.kept.run.results)
    run = measured(state.cluster, student.reduce_gradients, per_rank(gradients), states, state.cluster.world)
    name = "reduce_gradients"
    call = f"{name}(gradients, state, group), {described(layers)}, {dtype}"
    return Means(state, hosts, gradients, Kept(name, call, run, kept_in(run.results, state.cluster, name)))


def expect_mean(means: Means) -> None:
    """All ranks together must have every element of the mean, wherever it lies."""
    kept, mean = means.kept, means.mean
    found = np.concatenate([kept.values(rank) for rank in range(len(kept.arrays))])
    lost = int((~np.isin(mean, found)).sum())
    if not lost:
        return
    told = {**kept.told, "expected": "every element of the mean over ranks on some rank", "where": kept.made_at(0)}
    if np.isin(means.total, found).all():
        raise Failed("The result is the sum over ranks, not the mean.", actual="the elements of the sum", **told)
    raise Failed("The result is not the mean over ranks.", actual=f"{lost} of {mean.size} elements on no rank", **told)

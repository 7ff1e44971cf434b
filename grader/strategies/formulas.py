"""What strategies cost, as formulas: bytes at rest, collectives and bytes sent in a step, and a bound of the peak.

Symbols of the ZeRO paper (Rajbhandari et al., arXiv 1910.02054): a model of P parameters on N devices. With 16-bit
parameters and gradients and Adam, at rest (section 3.1 and 5), and elements sent a step (section 7):

| stage | at rest            | sent                        |
|-------|--------------------|-----------------------------|
| 0     | 2P + 2P + 12P      | 2P (N-1)/N: all-reduce      |
| 1     | 2P + 2P + 12P/N    | 2P (N-1)/N                  |
| 2     | 2P + 2P/N + 12P/N  | (M+1)P (N-1)/N              |
| 3     | 16P/N              | 3MP (N-1)/N                 |

M micro-batches cost stages 2 and 3 more, because they reduce (and gather) in each. An all-gather or reduce-scatter of S
bytes sends (N-1)/N S along a ring, an all-reduce twice that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from grader.devices.ledger import Time

from .optimizers import Optimizer
from .precision import Precision

GATHER, SCATTER, REDUCE = "all_gather_into_tensor", "reduce_scatter_tensor", "all_reduce"


@dataclass(frozen=True, slots=True)
class Plan:
    """What a strategy does, as far as its cost depends on it.

    source: where that is written.
    divided: what is kept in pieces: "parameters", "gradients", "optimizer".
    gathers: when parameters are gathered: in the "forward" and "backward" pass of each micro-batch, after the "update".
    replicated: whether the group that pieces are cut over is one of several, whose gradients are all-reduced.
    secondary: whether each node keeps the parameters in pieces from the forward to the backward pass.
    reduces_once: whether gradients wait, whole, for the last micro-batch.
    """

    source: str
    divided: tuple[str, ...] = ()
    gathers: tuple[str, ...] = ()
    replicated: bool = False
    secondary: bool = False
    reduces_once: bool = False


@dataclass(frozen=True, slots=True)
class UnitSize:
    """A unit: elements of its parameters, of one device's piece with padding, and how often a pass visits it.

    ``columns``: the parts of a piece that are laid out on their own; with more than one, gathering copies.
    """

    elements: int
    piece: int
    trainable: bool = True
    visits: int = 1
    parameters: int = 1
    columns: int = 1


@dataclass(frozen=True, slots=True)
class Case:
    """What a formula is asked for: ``devices`` share the pieces, and ``replicas`` groups of them train together.

    ``node_size`` is asked for by a plan that is ``secondary``.
    """

    plan: Plan
    units: Sequence[UnitSize]
    devices: int
    precision: Precision
    optimizer: Optimizer
    micro_batches: int = 1
    replicas: int = 1
    node_size: int = 1
    prefetch: bool = False
    activations: int = 0


@dataclass(frozen=True, slots=True)
class Cost:
    """Bytes of one device and its collectives in a step. ``peak`` is what the step adds to ``at_rest`` at most.

    ``time`` is known where it was measured on a cluster with hardware.
    """

    at_rest: Mapping[str, int]
    collectives: Mapping[str, int] = field(default_factory=dict)
    sent: Mapping[str, int] = field(default_factory=dict)
    peak: int = 0
    time: Time | None = None


def size_of(dtype: str) -> int:
    """Bytes of one element."""
    return int(np.dtype(dtype).itemsize)


def predict(case: Case) -> Cost:
    """All formulas for one case.

    >>> from grader.strategies import ZERO, Adam, load
    >>> stage3 = Case(load("stage3").plan, [UnitSize(800, 100)] * 10, 8, ZERO, Adam())
    >>> cost = predict(stage3)
    >>> sum(cost.at_rest.values()) == 16 * 8000 // 8
    True
    >>> sum(cost.sent.values()) == 3 * 2 * 8000 * 7 // 8
    True
    >>> dict(cost.collectives)
    {'all_gather_into_tensor': 20, 'reduce_scatter_tensor': 10}
    """
    collectives: dict[str, int] = {}
    sent: dict[str, int] = {}
    for operation, count, size in traffic(case):
        collectives[operation] = collectives.get(operation, 0) + count
        sent[operation] = sent.get(operation, 0) + count * size
    return Cost(at_rest(case), collectives, sent, peak(case))


def at_rest(case: Case) -> dict[str, int]:
    """Bytes between steps: ZeRO section 3.1 (what there is) and 5 (what each stage divides)."""
    bytes_each = {
        "parameters": size_of(case.precision.kept),
        "gradients": size_of(case.precision.kept),
        "optimizer": case.optimizer.bytes_per_parameter(case.precision),
    }
    return {
        what: size * sum(_kept(case.plan, what, unit) for unit in case.units if unit.trainable or what == "parameters")
        for what, size in bytes_each.items()
    }


def _kept(plan: Plan, what: str, unit: UnitSize) -> int:
    return unit.piece if what in plan.divided else unit.elements


def traffic(case: Case) -> list[tuple[str, int, int]]:
    """Operation, how many of them, and bytes that a rank sends in each: ZeRO section 7, unit by unit."""
    plan, precision, batches = case.plan, case.precision, case.micro_batches
    around = case.devices - 1
    found = []
    for unit in case.units:
        if not unit.visits:
            continue
        if "forward" in plan.gathers:
            found += _gathers(case, unit)
        if not unit.trainable:
            continue
        if "optimizer" in plan.divided:
            times = batches if "gradients" in plan.divided and not plan.reduces_once else 1
            found.append((SCATTER, times, around * unit.piece * size_of(precision.reduce)))
            if plan.replicated:
                found.append((REDUCE, times, all_reduce_bytes(unit.piece, case.replicas, precision.reduce)))
        else:
            found.append((REDUCE, 1, all_reduce_bytes(unit.elements, case.devices, precision.reduce)))
        if "update" in plan.gathers:
            found.append((GATHER, 1, around * unit.piece * size_of(precision.kept)))
    return found


def _gathers(case: Case, unit: UnitSize) -> list[tuple[str, int, int]]:
    """Those of a unit in the passes of a step, as ``traffic`` has them.

    What is kept from the forward to the backward pass is gathered once, however often it is visited.
    """
    plan, batches = case.plan, case.micro_batches
    around = (case.devices - 1) * unit.piece * size_of(case.precision.compute)
    times = 2 * unit.visits if "backward" in plan.gathers else 1
    if not plan.secondary:
        return [(GATHER, batches * times, around)]
    within = (case.node_size - 1) * _secondary(case, unit)
    return [(GATHER, batches, around), (GATHER, batches * (times - 1), within)]


def _secondary(case: Case, unit: UnitSize) -> int:
    """Bytes of a node's piece of a unit."""
    return case.devices * unit.piece // case.node_size * size_of(case.precision.compute)


def all_reduce_bytes(elements: int, devices: int, dtype: str) -> int:
    """Bytes that each rank sends in an all-reduce: a reduce-scatter and an all-gather of equal pieces.

    >>> all_reduce_bytes(1000, 4, "float32")
    6000
    """
    return 2 * (devices - 1) * -(-elements // devices) * size_of(dtype)


def peak(case: Case) -> int:
    """A bound of the bytes above rest in a step: the most that any unit needs, and the activations.

    At stage 3 that is the gathered unit, one more with prefetch, and its gradient: the parameters are released before
    the gradient is reduced. What waits for a later pass is beside that.
    """
    used = [unit for unit in case.units if unit.visits]
    gathered = [_gathered(case, unit) for unit in used]
    waiting = sum(_waiting(case, unit) for unit in used)
    most = 0
    for place, unit in enumerate(used):
        others = gathered[:place] + gathered[place + 1 :]
        if "backward" not in case.plan.gathers:
            beside = sum(others)  # all are kept from the forward to the backward pass
        elif case.prefetch:
            beside = max(others, default=0)
        else:
            beside = 0
        most = max(most, beside + _passes(case, unit, gathered[place]), _update(case, unit))
    return waiting + most + case.activations


def _waiting(case: Case, unit: UnitSize) -> int:
    """Bytes of what a unit keeps from one pass to another, beside gathered parameters.

    That is the whole gradient, if it is visited again or reduced after the last micro-batch, and its node's piece.
    """
    plan, precision = case.plan, case.precision
    found = unit.elements * size_of(precision.compute) if unit.visits > 1 else 0
    if plan.reduces_once and case.micro_batches > 1 and unit.trainable:
        found += unit.elements * size_of(precision.reduce)
    return found + (_secondary(case, unit) if plan.secondary else 0)


def _gathered(case: Case, unit: UnitSize) -> int:
    """Bytes of the whole unit where it is gathered for the passes, and of the piece that was cast to be sent."""
    precision = case.precision
    if "forward" not in case.plan.gathers:
        return 0
    cast = unit.piece if precision.kept != precision.compute else 0
    return (case.devices * unit.piece + cast) * size_of(precision.compute)


def _passes(case: Case, unit: UnitSize, gathered: int) -> int:
    """Bytes that a unit needs at most, in its passes: when it is copied out or in, has a gradient, and reduces that."""
    again = gathered if unit.columns > 1 else 0
    if case.plan.secondary:
        again = max(again, _packed(case, unit) * size_of(case.precision.compute))
    if not unit.trainable:
        return gathered + again
    gradient = unit.elements * size_of(case.precision.compute)
    reduction = _reduction(case, unit) if "gradients" in case.plan.divided else 0
    return max(gathered + again, gathered + gradient, gradient + reduction)


def _reduction(case: Case, unit: UnitSize) -> int:
    """Bytes of the copies that a reduction makes: padded and joined, cast, and the piece that comes out."""
    precision = case.precision
    padded = case.devices * unit.piece
    cast = padded if precision.reduce != precision.compute else 0
    return _packed(case, unit) * size_of(precision.compute) + (cast + unit.piece) * size_of(precision.reduce)


def _packed(case: Case, unit: UnitSize) -> int:
    """Elements that are copied when parameters are padded or joined into one array of pieces."""
    padded = case.devices * unit.piece
    if unit.parameters == 1 and padded == unit.elements:
        return 0
    return padded * (2 if unit.columns > 1 else 1) + padded - unit.elements


def _update(case: Case, unit: UnitSize) -> int:
    """Bytes that the update of a unit needs: the optimizer's scratch and, at stages 1 and 2, the gathered unit."""
    plan, precision = case.plan, case.precision
    if not unit.trainable:
        return 0
    scratch = case.optimizer.scratch * size_of(precision.master) * _kept(plan, "optimizer", unit)
    if "optimizer" not in plan.divided:
        return scratch + (unit.elements * size_of(precision.reduce) if precision.reduce != precision.kept else 0)
    if "update" not in plan.gathers:
        return scratch
    gathered = case.devices * unit.piece * (2 if unit.columns > 1 else 1)
    own = unit.piece * (size_of(precision.kept) + size_of(precision.reduce))
    copies = max(_packed(case, unit), gathered) * size_of(precision.kept)
    return max(_reduction(case, unit), own + max(scratch, copies))

"""What a strategy is, and the training step that all of them share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from grader.devices import DeviceArray as Array
from grader.devices import Group

from .formulas import Plan
from .layers import Layer, loss_gradient
from .optimizers import SGD, Optimizer, State
from .precision import FULL, Precision
from .sharding import Flat, Gather, PerParameter, Sharding, joined

Batch = tuple[Array, Array]


@dataclass(frozen=True, slots=True)
class Settings:
    """What a strategy leaves open.

    sharding: how pieces are cut, ``PerParameter`` or ``Flat``.
    units: names of parameters that are gathered together; each that is not named is a unit of its own.
    prefetch: whether the next unit's gather begins before the one needed now is waited for.
    node_size: the devices of one node, for strategies that know of nodes.
    """

    optimizer: Optimizer = field(default_factory=SGD)
    precision: Precision = FULL
    sharding: type[Sharding] = PerParameter
    units: tuple[tuple[str, ...], ...] = ()
    prefetch: bool = False
    node_size: int = 1


DEFAULT = Settings()


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """Parameters that are gathered and reduced together, all trainable or all frozen."""

    names: tuple[str, ...]
    trainable: bool
    sharding: Sharding

    def split(self, whole: Array) -> list[Array]:
        """Views of the parameters in ``whole``, which has all their elements and no padding."""
        return Flat(self.sharding.shapes, 1).unpack(whole)


def units_of(layers: Sequence[Layer], settings: Settings, devices: int) -> list[Unit]:
    """The units of a model, in the order in which its layers first need them, cut for ``devices``."""
    by_name = {layer.name: layer for layer in layers}
    together = {name: names for names in settings.units for name in names}
    if missing := together.keys() - by_name.keys():
        raise ValueError(f"units name {', '.join(sorted(missing))}, but no layer is called so")
    found = []
    for names in dict.fromkeys(together.get(name, (name,)) for name in by_name):
        own = [by_name[name] for name in names]
        if len({layer.trainable for layer in own}) > 1:
            raise ValueError(f"the unit of {', '.join(names)} has frozen and trainable layers; give each its own unit")
        sharding = settings.sharding([layer.shape for layer in own], devices)
        found.append(Unit(names, own[0].trainable, sharding))
    return found


@dataclass(slots=True)
class Visit:
    """Consecutive layers of one unit. ``first``: no earlier visit is to the same unit, so its backward is the last."""

    unit: Unit
    first: bool
    layers: list[Layer] = field(default_factory=list)
    saved: list[object] = field(default_factory=list)


def visits_of(layers: Sequence[Layer], units: Sequence[Unit]) -> list[Visit]:
    """The visits of one pass through ``layers``. A layer that comes again begins a new one, as a second call would."""
    unit_of = {name: unit for unit in units for name in unit.names}
    if missing := {layer.name for layer in layers} - unit_of.keys():
        raise ValueError(f"the step uses {', '.join(sorted(missing))}, which the model was not made with")
    visits: list[Visit] = []
    visited: set[Unit] = set()
    for layer in layers:
        unit = unit_of[layer.name]
        last = visits[-1] if visits else None
        if last is None or last.unit is not unit or any(layer.name == each.name for each in last.layers):
            last = Visit(unit, first=unit not in visited)
            visits.append(last)
            visited.add(unit)
        last.layers.append(layer)
    return visits


class Strategy(ABC):
    """A model on one device of a group, kept and trained in one of the ways of the catalogue.

    layers: all of the model's. weight: makes a layer's whole parameter on the device; called unit by unit, so that
    no device ever needs room for the whole model that it will not keep.
    """

    plan: ClassVar[Plan]

    def __init__(
        self, layers: Sequence[Layer], weight: Callable[[Layer], Array], group: Group, settings: Settings = DEFAULT
    ) -> None:
        self.group = group
        self.settings = settings
        self.precision = settings.precision
        self.optimizer = settings.optimizer
        self.check()
        self.shards = self.shard_group()
        # What the device keeps of each unit between steps; of a frozen one, parameters alone.
        self.parameters: dict[Unit, Array] = {}
        self.gradients: dict[Unit, Array] = {}
        self.states: dict[Unit, State] = {}
        self.updates: dict[Unit, int] = {}
        # And during a step: what is gathered, and what waits for a later pass.
        self.gathers: dict[Unit, Gather] = {}
        self.between: dict[Unit, list[Array]] = {}
        self.last_micro_batch = False
        by_name = {layer.name: layer for layer in layers}
        for unit in units_of(layers, settings, self.shards.size):
            self._add(unit, [weight(by_name[name]).astype(self.precision.kept, copy=False) for name in unit.names])

    def _add(self, unit: Unit, whole: Sequence[Array]) -> None:
        self.parameters[unit] = self._at_rest("parameters", unit, whole)
        if unit.trainable:
            size = unit.sharding.piece if "gradients" in self.plan.divided else sum(unit.sharding.sizes)
            self.gradients[unit] = self.group.device.zeros(size, self.precision.kept)
            self.states[unit] = self.optimizer.prepare(self._at_rest("optimizer", unit, whole), self.precision)
            self.updates[unit] = 0

    def _at_rest(self, what: str, unit: Unit, whole: Sequence[Array]) -> Array:
        """The elements that ``what`` is kept for: this device's piece, or all of them as one array."""
        if what in self.plan.divided:
            return unit.sharding.shard(whole, self.shards.rank)
        return joined(whole, sum(unit.sharding.sizes)).copy()

    # What each strategy says

    def check(self) -> None:  # noqa: B027
        """Refuse settings that the strategy does not have."""

    def shard_group(self) -> Group:
        """The group over which pieces are cut: by default all devices."""
        return self.group

    def node_group(self) -> Group:
        """The devices of this one's node."""
        node_size = self.settings.node_size
        if self.group.size % node_size:
            raise ValueError(f"{self.group.size} devices do not make nodes of {node_size}")
        return self.group.split(lambda rank: rank // node_size)

    def begin(self, unit: Unit) -> None:  # noqa: B027
        """Begin to gather the unit's parameters, unless they are there or on their way."""

    @abstractmethod
    def weights(self, unit: Unit) -> list[Array]:
        """The unit's whole parameters in the compute dtype, after ``begin``."""

    def after_forward(self, unit: Unit) -> None:  # noqa: B027
        """The unit's forward pass is over."""

    def after_backward(self, unit: Unit, last: bool) -> None:  # noqa: B027
        """The unit's backward pass is over, for this micro-batch if ``last``."""

    @abstractmethod
    def reduce(self, unit: Unit, gradients: Sequence[Array]) -> None:
        """Add one micro-batch's whole gradients to what is kept."""

    @abstractmethod
    def update(self, unit: Unit, lr: float) -> None:
        """Update the parameters by the kept gradients, after the last micro-batch."""

    # The step

    def step(self, layers: Sequence[Layer], batches: Sequence[Batch], lr: float) -> None:
        """Train on this rank's micro-batches, ``(inputs, targets)``; the loss is the mean over all of all ranks.

        layers: those of the model that are used, in the order in which they run.
        """
        try:
            for number, (inputs, targets) in enumerate(batches, 1):
                self.last_micro_batch = number == len(batches)
                visits = visits_of(layers, tuple(self.parameters))
                outputs = self._forward(visits, inputs.astype(self.precision.compute, copy=False))
                targets = targets.astype(self.precision.compute, copy=False)
                gradient = loss_gradient(outputs, targets, len(batches))
                del outputs
                self._backward(visits, gradient)
        finally:
            self.gathers.clear()  # of a step that failed
            self.between.clear()
        used = {layer.name for layer in layers}
        for unit in self.gradients:
            if used.isdisjoint(unit.names):
                continue
            self.updates[unit] += 1
            self.update(unit, lr)
            self.gradients[unit].fill(0)

    def _materialize(self, visits: Sequence[Visit], position: int) -> dict[str, Array]:
        """The parameters of a visit by name; the next visit's are on their way where that is wanted."""
        unit = visits[position].unit
        self.begin(unit)
        if self.settings.prefetch and position + 1 < len(visits):
            self.begin(visits[position + 1].unit)
        return dict(zip(unit.names, self.weights(unit), strict=True))

    def _forward(self, visits: Sequence[Visit], outputs: Array) -> Array:
        for position, visit in enumerate(visits):
            weights = self._materialize(visits, position)
            for layer in visit.layers:
                outputs, saved = layer.forward(outputs, weights[layer.name])
                visit.saved.append(saved)
            del weights
            self.after_forward(visit.unit)
        return outputs

    def _backward(self, visits: Sequence[Visit], gradient: Array) -> None:
        backwards = visits[::-1]
        # Whole gradients of tied layers wait for those of the unit's other visits, to be reduced once.
        whole: dict[Unit, dict[str, Array]] = {}
        for position, visit in enumerate(backwards):
            unit = visit.unit
            weights = self._materialize(backwards, position)
            found = whole.setdefault(unit, {})
            for layer in reversed(visit.layers):
                gradient, grad_weight = layer.backward(gradient, visit.saved.pop(), weights[layer.name])
                if layer.name in found and grad_weight is not None:
                    found[layer.name] += grad_weight
                elif grad_weight is not None:
                    found[layer.name] = grad_weight
                del grad_weight
            del weights, found
            self.after_backward(unit, visit.first)
            if visit.first and unit.trainable:
                self.reduce(unit, self._in_order(unit, whole.pop(unit)))

    def _in_order(self, unit: Unit, found: dict[str, Array]) -> list[Array]:
        """A gradient for each parameter of the unit: zeros for one that the step does not use."""
        shapes = zip(unit.names, unit.sharding.shapes, strict=True)
        return [
            found.pop(name) if name in found else self.group.device.zeros(shape, self.precision.compute)
            for name, shape in shapes
        ]

    # What there is

    def full_parameters(self) -> dict[str, Array]:
        """Every whole parameter by name, gathered where it is cut: each rank must call it."""
        found: dict[str, Array] = {}
        for unit in self.parameters:
            found.update(zip(unit.names, self.whole(unit), strict=True))
        return found

    @abstractmethod
    def whole(self, unit: Unit) -> list[Array]:
        """The unit's whole parameters in the dtype in which they are kept."""

    def bytes_at_rest(self) -> dict[str, int]:
        """Bytes that this device keeps between steps: of parameters, gradients and optimizer state."""
        return {
            "parameters": sum(array.nbytes for array in self.parameters.values()),
            "gradients": sum(array.nbytes for array in self.gradients.values()),
            "optimizer": sum(array.nbytes for state in self.states.values() for array in state.values()),
        }


class Whole(Strategy):
    """Strategies whose devices keep whole parameters, as one array a unit, and compute with them.

    Unless they say otherwise, they keep whole gradients, too, and reduce them at the update.
    """

    def check(self) -> None:
        if self.precision.kept != self.precision.compute:
            raise ValueError(
                f"whole parameters are computed with as they are kept: {self.precision.kept} cannot be kept and "
                f"{self.precision.compute} computed with; strategies that keep pieces cast what they gather"
            )

    def weights(self, unit: Unit) -> list[Array]:
        return unit.split(self.parameters[unit])

    def reduce(self, unit: Unit, gradients: Sequence[Array]) -> None:
        for total, gradient in zip(unit.split(self.gradients[unit]), gradients, strict=True):
            total += gradient

    def whole(self, unit: Unit) -> list[Array]:
        return self.weights(unit)

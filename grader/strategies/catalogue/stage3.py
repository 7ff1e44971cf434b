"""ZeRO stage 3, FSDP's FULL_SHARD: everything is divided.

A unit's parameters are gathered before its forward pass and again before its backward pass, and released after each.
"""

from __future__ import annotations

from collections.abc import Sequence

from grader.devices import DeviceArray as Array

from ..formulas import Plan
from ..sharding import Gather, reduce_scatter
from ..strategy import Strategy, Unit


class Model(Strategy):
    plan = Plan(
        "ZeRO, section 5.3 and 7.2.2; FSDP2 reshard_after_forward=True",
        divided=("parameters", "gradients", "optimizer"),
        gathers=("forward", "backward"),
    )

    def begin(self, unit: Unit) -> None:
        if unit not in self.gathers:
            own = self.parameters[unit].astype(self.precision.compute, copy=False)
            self.gathers[unit] = Gather(unit.sharding, own, self.shards)

    def weights(self, unit: Unit) -> list[Array]:
        return self.gathers[unit].wait()

    def after_forward(self, unit: Unit) -> None:
        self.gathers.pop(unit).release()

    def after_backward(self, unit: Unit, last: bool) -> None:
        self.gathers.pop(unit).release()

    def reduce(self, unit: Unit, gradients: Sequence[Array]) -> None:
        total = self.gradients[unit]
        total += self.mean(unit, gradients)

    def mean(self, unit: Unit, gradients: Sequence[Array]) -> Array:
        """This device's piece of the mean of the whole gradients of all devices."""
        return reduce_scatter(unit.sharding, gradients, self.shards, self.precision.reduce)

    def update(self, unit: Unit, lr: float) -> None:
        own, mean = self.parameters[unit], self.gradients[unit]
        self.optimizer.update(own, mean, self.states[unit], lr, self.updates[unit])

    def whole(self, unit: Unit) -> list[Array]:
        return Gather(unit.sharding, self.parameters[unit], self.shards).wait()

"""ZeRO stage 1: the optimizer state is divided.

Each device reduces its piece of the gradients once a step, updates its piece of the parameters, and gathers the
other pieces.
"""

from __future__ import annotations

from grader.devices import DeviceArray as Array

from ..formulas import Plan
from ..sharding import Gather, reduce_scatter
from ..strategy import Unit, Whole


class Model(Whole):
    plan = Plan("ZeRO, section 5.1 and 7.2.1", divided=("optimizer",), gathers=("update",))

    def update(self, unit: Unit, lr: float) -> None:
        gradients = unit.split(self.gradients[unit])
        self.update_piece(unit, reduce_scatter(unit.sharding, gradients, self.group, self.precision.reduce), lr)

    def update_piece(self, unit: Unit, mean: Array, lr: float) -> None:
        """Update this device's piece, then gather everyone's into the whole parameters."""
        whole = self.weights(unit)
        own = unit.sharding.shard(whole, self.group.rank)
        self.optimizer.update(own, mean, self.states[unit], lr, self.updates[unit])
        gather = Gather(unit.sharding, own, self.group)
        for parameter, updated in zip(whole, gather.wait(), strict=True):
            parameter[...] = updated

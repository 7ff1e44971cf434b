"""ZeRO stage 2: gradients are divided, too. Each is reduced as soon as it is there, and only a piece of it is kept."""

from __future__ import annotations

from collections.abc import Sequence

from grader.devices import DeviceArray as Array

from ..formulas import Plan
from ..sharding import reduce_scatter
from ..strategy import Unit
from .stage1 import Model as Stage1


class Model(Stage1):
    plan = Plan("ZeRO, section 5.2 and 7.2.1", divided=("gradients", "optimizer"), gathers=("update",))

    def reduce(self, unit: Unit, gradients: Sequence[Array]) -> None:
        total = self.gradients[unit]
        total += reduce_scatter(unit.sharding, gradients, self.group, self.precision.reduce)

    def update(self, unit: Unit, lr: float) -> None:
        self.update_piece(unit, self.gradients[unit], lr)

"""Data parallel: every device keeps everything. Gradients are all-reduced once a step."""

from __future__ import annotations

from ..formulas import Plan
from ..strategy import Unit, Whole


class Model(Whole):
    plan = Plan("ZeRO, section 3.1 and 7.1")

    def update(self, unit: Unit, lr: float) -> None:
        mean = self.gradients[unit].astype(self.precision.reduce, copy=False)
        self.group.all_reduce(mean, op="avg")
        self.optimizer.update(self.parameters[unit], mean, self.states[unit], lr, self.updates[unit])

"""Stage 3 without gradient synchronisation but in the last micro-batch: FSDP's ``no_sync``.

Gradients wait for it whole, in the dtype in which they are reduced: memory for bytes sent.
"""

from __future__ import annotations

from collections.abc import Sequence

from grader.devices import DeviceArray as Array

from ..formulas import Plan
from ..strategy import Unit
from .stage3 import Model as Stage3


class Model(Stage3):
    plan = Plan(
        "FSDP1 no_sync; FSDP2 set_requires_gradient_sync",
        divided=("parameters", "gradients", "optimizer"),
        gathers=("forward", "backward"),
        reduces_once=True,
    )

    def reduce(self, unit: Unit, gradients: Sequence[Array]) -> None:
        if waiting := self.between.pop(unit, None):
            for total, gradient in zip(waiting, gradients, strict=True):
                total += gradient
            gradients = waiting
        if self.last_micro_batch:
            super().reduce(unit, gradients)
        else:
            self.between[unit] = [each.astype(self.precision.reduce, copy=False) for each in gradients]

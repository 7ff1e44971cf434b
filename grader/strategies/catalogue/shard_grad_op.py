"""FSDP's SHARD_GRAD_OP: stage 3 at rest. What the forward pass gathered is kept for the backward pass."""

from __future__ import annotations

from ..formulas import Plan
from ..strategy import Unit
from .stage3 import Model as Stage3


class Model(Stage3):
    plan = Plan(
        "FSDP1 SHARD_GRAD_OP; FSDP2 reshard_after_forward=False",
        divided=("parameters", "gradients", "optimizer"),
        gathers=("forward",),
    )

    def after_forward(self, unit: Unit) -> None:
        pass

    def after_backward(self, unit: Unit, last: bool) -> None:
        if last:
            super().after_backward(unit, last)

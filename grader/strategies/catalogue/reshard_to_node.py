"""FSDP2's ``reshard_after_forward=int``, ZeRO++'s secondary partition: stage 3 whose backward pass gathers in a node.

After the forward pass each node keeps the parameters in pieces of its own, until the backward pass is over.
"""

from __future__ import annotations

from grader.devices import Group

from ..formulas import Plan
from ..sharding import Gather
from ..strategy import Unit
from .stage3 import Model as Stage3


class Model(Stage3):
    plan = Plan(
        "FSDP2 reshard_after_forward=int; ZeRO++ (arXiv 2306.10209), hpZ",
        divided=("parameters", "gradients", "optimizer"),
        gathers=("forward", "backward"),
        secondary=True,
    )

    def shard_group(self) -> Group:
        self.node = self.node_group()
        return self.group

    def begin(self, unit: Unit) -> None:
        if unit not in self.between:
            super().begin(unit)
        elif unit not in self.gathers:
            (piece,) = self.between[unit]
            self.gathers[unit] = Gather(unit.sharding, piece, self.node)

    def after_forward(self, unit: Unit) -> None:
        if unit not in self.between:
            self.between[unit] = [unit.sharding.shard(self.weights(unit), self.node.rank, self.node.size)]
        super().after_forward(unit)

    def after_backward(self, unit: Unit, last: bool) -> None:
        super().after_backward(unit, last)
        if last:
            del self.between[unit]

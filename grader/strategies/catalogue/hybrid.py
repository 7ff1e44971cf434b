"""FSDP's HYBRID_SHARD: stage 3 inside a node; the nodes are replicas, which all-reduce the pieces of gradients."""

from __future__ import annotations

from collections.abc import Sequence

from grader.devices import DeviceArray as Array
from grader.devices import Group

from ..formulas import Plan
from ..strategy import Unit
from .stage3 import Model as Stage3


class Model(Stage3):
    plan = Plan(
        "FSDP1 HYBRID_SHARD; FSDP2 on a two-dimensional mesh",
        divided=("parameters", "gradients", "optimizer"),
        gathers=("forward", "backward"),
        replicated=True,
    )

    def shard_group(self) -> Group:
        self.replicas = self.group.split(lambda rank: rank % self.settings.node_size)
        return self.node_group()

    def mean(self, unit: Unit, gradients: Sequence[Array]) -> Array:
        piece = super().mean(unit, gradients)
        self.replicas.all_reduce(piece, op="avg")
        return piece

"""Strategies of sharded data parallelism, each as a page of code and as a row of formulas.

| strategy          | keeps a piece of           | gathers parameters          | reduces gradients by                 |
|-------------------|----------------------------|-----------------------------|--------------------------------------|
| `stage0`          | nothing                    | never                       | all-reduce, once a step              |
| `stage1`          | optimizer state            | after the update            | reduce-scatter, once a step          |
| `stage2`          | gradients, optimizer state | after the update            | reduce-scatter, in each backward     |
| `stage3`          | all three                  | before forward and backward | reduce-scatter, in each backward     |
| `no_sync`         | all three                  | before forward and backward | reduce-scatter, in the last backward |
| `shard_grad_op`   | all three                  | before forward, keeps them  | reduce-scatter, in each backward     |
| `reshard_to_node` | all three                  | as stage 3, then in a node  | reduce-scatter, in each backward     |
| `hybrid`          | all three, inside a node   | as stage 3, inside a node   | and all-reduce across nodes          |

``Settings`` has what goes with each: the optimizer, the precision, flat or per-parameter pieces, which parameters are
one unit, and prefetch of the next unit.

>>> from grader.devices import Cluster
>>> layers = [Linear(f"layer{number}", (8, 8)) for number in range(4)]
>>> cost = measure(Cluster(4), "stage3", layers, rows=1, settings=Settings(Adam(), ZERO))
>>> dict(cost.at_rest)                                  # 2, 2 and 12 bytes of 256 parameters on 4 devices
{'parameters': 128, 'gradients': 128, 'optimizer': 768}
>>> dict(cost.sent)                                     # 2 x 3/4 and 1 x 3/4 of 512 bytes
{'all_gather_into_tensor': 768, 'reduce_scatter_tensor': 384}

A strategy is used like this, on every rank:

>>> def train(group):
...     model = load("stage3")(layers, lambda layer: group.device.zeros(layer.shape) + 1, group)
...     batch = group.device.zeros((1, 8)) + 1, group.device.zeros((1, 8))
...     model.step(layers, [batch], lr=0.5 ** 20)
...     return model.full_parameters()["layer3"].tolist()[0][0]
>>> cluster = Cluster(4)
>>> cluster.run(train, cluster.world)
[-1.0, -1.0, -1.0, -1.0]
"""

from __future__ import annotations

from .catalogue import load, strategies
from .formulas import Case, Cost, Plan, UnitSize, predict
from .layers import Layer, Linear
from .measure import measure, predicted, prepared
from .optimizers import SGD, Adam, Optimizer
from .precision import FSDP, FULL, ZERO, Precision
from .sharding import Flat, PerParameter, Sharding
from .strategy import Settings, Strategy

__all__ = [
    "FSDP",
    "FULL",
    "SGD",
    "ZERO",
    "Adam",
    "Case",
    "Cost",
    "Flat",
    "Layer",
    "Linear",
    "Optimizer",
    "PerParameter",
    "Plan",
    "Precision",
    "Settings",
    "Sharding",
    "Strategy",
    "UnitSize",
    "load",
    "measure",
    "predict",
    "predicted",
    "prepared",
    "strategies",
]

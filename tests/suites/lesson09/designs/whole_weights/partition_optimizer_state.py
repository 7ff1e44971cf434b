"""The largest weight goes to the rank that has least, as ZeroRedundancyOptimizer does."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from layers import Linear

from grader.devices import DeviceArray as Array


def partition_optimizer_state(
    layers: Sequence[Linear], parameters: dict[str, Array], rank: int, world_size: int
) -> dict[str, Any]:
    shapes = {layer.name: layer.shape for layer in layers if layer.trainable}
    loads = [0] * world_size
    state: dict[str, Any] = {}
    for name in sorted(shapes, key=lambda name: -parameters[name].size):
        owner = loads.index(min(loads))
        loads[owner] += parameters[name].size
        state[name] = {"owner": owner}
        if owner == rank:
            master = parameters[name].astype("float32")
            state[name]["arrays"] = (master, np.zeros_like(master), np.zeros_like(master))
    return state

"""Optimizer state by flat pieces of each weight, padded to one size."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from layers import Linear

from grader.devices import DeviceArray as Array


def partition_optimizer_state(
    layers: Sequence[Linear], parameters: dict[str, Array], rank: int, world_size: int
) -> dict[str, Any]:
    """By name the master copy, momentum and variance of this rank's ceil(size / world_size) elements."""
    state: dict[str, Any] = {}
    for layer in layers:
        if layer.trainable and layer.name not in state:
            whole = parameters[layer.name].ravel()
            count = -(-whole.size // world_size)
            own = whole[rank * count : (rank + 1) * count]
            master = whole.device.zeros(count, "float32")
            master[: own.size] = own
            state[layer.name] = (master, np.zeros_like(master), np.zeros_like(master))
    return state

"""Optimizer state by rows of each weight, ceil(rows / N) on every rank."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from layers import Linear

from grader.devices import DeviceArray as Array


def partition_optimizer_state(
    layers: Sequence[Linear], parameters: dict[str, Array], rank: int, world_size: int
) -> dict[str, Any]:
    state: dict[str, Any] = {}
    for layer in layers:
        if layer.trainable:
            rows, columns = layer.shape
            count = -(-rows // world_size)
            own = parameters[layer.name][rank * count : (rank + 1) * count]
            master = own.device.zeros((count, columns), "float32")
            master[: own.shape[0]] = own
            state[layer.name] = [master, np.zeros_like(master), np.zeros_like(master)]
    return state

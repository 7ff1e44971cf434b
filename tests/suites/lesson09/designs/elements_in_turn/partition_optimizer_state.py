"""Rank r has the state of elements r, r + N, r + 2N, …; no padding."""

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
            master = parameters[layer.name].ravel()[rank::world_size].astype("float32")
            state[layer.name] = (master, np.zeros_like(master), np.zeros_like(master))
    return state

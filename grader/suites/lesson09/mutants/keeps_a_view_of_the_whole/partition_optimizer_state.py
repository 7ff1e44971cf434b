# caught by: partition_optimizer_state-share
# defect: Cuts the master copy out of a whole one, whose storage the view keeps.

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
        if layer.trainable and layer.name not in state:
            whole = parameters[layer.name].ravel()
            count = -(-whole.size // world_size)
            padded = whole.device.zeros(world_size * count, "float32")
            padded[: whole.size] = whole
            master = padded[rank * count : (rank + 1) * count]
            state[layer.name] = (master, np.zeros_like(master), np.zeros_like(master))
    return state

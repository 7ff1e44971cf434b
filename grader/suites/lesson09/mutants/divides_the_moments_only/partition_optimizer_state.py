# caught by: partition_optimizer_state-even
# defect: Keeps whole master copies, and divides momentum and variance.

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
            master = whole.astype("float32")
            moment = whole.device.zeros(count, "float32")
            state[layer.name] = (master, moment, np.zeros_like(moment))
    return state

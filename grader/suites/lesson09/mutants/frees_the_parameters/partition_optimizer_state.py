# caught by: partition_optimizer_state-owns
# defect: Frees the 16-bit weights, as if the master copies were there in their place.

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
            own = whole[rank * count : (rank + 1) * count]
            master = whole.device.zeros(count, "float32")
            master[: own.size] = own
            state[layer.name] = (master, np.zeros_like(master), np.zeros_like(master))
            whole.free()
    return state

# caught by: partition_optimizer_state-tied
# defect: Makes state for each layer, so tied ones have it twice.

from collections.abc import Sequence
from typing import Any

import numpy as np
from layers import Linear

from grader.devices import DeviceArray as Array


def partition_optimizer_state(
    layers: Sequence[Linear], parameters: dict[str, Array], rank: int, world_size: int
) -> dict[str, Any]:
    state: dict[str, Any] = {}
    for place, layer in enumerate(layers):
        if layer.trainable:
            whole = parameters[layer.name].ravel()
            count = -(-whole.size // world_size)
            own = whole[rank * count : (rank + 1) * count]
            master = whole.device.zeros(count, "float32")
            master[: own.size] = own
            state[layer.name if layer.name not in state else f"{layer.name} {place}"] = (master, np.zeros_like(master), np.zeros_like(master))
    return state

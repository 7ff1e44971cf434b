# caught by: partition_optimizer_state-later
# defect: Keys are 0, 1, 2, so layers that join take the places of the first.

from collections.abc import Sequence
from typing import Any

import numpy as np
from layers import Linear

from grader.devices import DeviceArray as Array


def partition_optimizer_state(
    layers: Sequence[Linear], parameters: dict[str, Array], rank: int, world_size: int
) -> dict[str, Any]:
    state: dict[Any, Any] = {}
    names: list[str] = []
    for layer in layers:
        if layer.trainable and layer.name not in names:
            whole = parameters[layer.name].ravel()
            count = -(-whole.size // world_size)
            own = whole[rank * count : (rank + 1) * count]
            master = whole.device.zeros(count, "float32")
            master[: own.size] = own
            names.append(layer.name)
            state[len(state)] = (master, np.zeros_like(master), np.zeros_like(master))
    return state

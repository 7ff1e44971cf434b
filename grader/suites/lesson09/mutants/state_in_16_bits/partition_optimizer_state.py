# caught by: partition_optimizer_state-precision
# defect: Makes the state in the dtype of the parameters.

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
            master = whole.device.zeros(count, whole.dtype)
            master[: own.size] = own
            state[layer.name] = (master, np.zeros_like(master), np.zeros_like(master))
    return state

# caught by: partition_optimizer_state-share
# defect: Every rank keeps the whole state, as in data parallelism.

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
            master = whole.astype("float32")
            state[layer.name] = (master, np.zeros_like(master), np.zeros_like(master))
    return state

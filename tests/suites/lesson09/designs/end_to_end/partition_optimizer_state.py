"""All weights end to end, padded, and cut into N pieces, as DeepSpeed does. A piece may span weights."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from layers import Linear

from grader.devices import DeviceArray as Array


def partition_optimizer_state(
    layers: Sequence[Linear], parameters: dict[str, Array], rank: int, world_size: int
) -> dict[str, Any]:
    begins: dict[str, int] = {}
    size = 0
    for layer in layers:
        if layer.trainable and layer.name not in begins:
            begins[layer.name] = size
            size += parameters[layer.name].size
    if not begins:
        return {}
    count = -(-size // world_size)
    whole = np.concatenate([parameters[name].ravel() for name in begins])
    own = whole[rank * count : (rank + 1) * count]
    master = whole.device.zeros(count, "float32")
    master[: own.size] = own
    moments = (np.zeros_like(master), np.zeros_like(master))
    return {"+".join(begins): {"begins": begins, "arrays": (master, *moments)}}

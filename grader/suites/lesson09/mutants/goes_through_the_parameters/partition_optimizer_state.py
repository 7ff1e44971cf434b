# caught by: partition_optimizer_state-frozen
# defect: Makes state for all that is in `parameters`, whatever the layers are.

from collections.abc import Sequence
from typing import Any

import numpy as np
from layers import Linear

from grader.devices import DeviceArray as Array


def partition_optimizer_state(
    layers: Sequence[Linear], parameters: dict[str, Array], rank: int, world_size: int
) -> dict[str, Any]:
    state: dict[str, Any] = {}
    for name, parameter in parameters.items():
        if name not in state:
            whole = parameter.ravel()
            count = -(-whole.size // world_size)
            own = whole[rank * count : (rank + 1) * count]
            master = whole.device.zeros(count, "float32")
            master[: own.size] = own
            state[name] = (master, np.zeros_like(master), np.zeros_like(master))
    return state

# caught by: partition_optimizer_state-even
# defect: Momentum and variance begin as copies of the master copy.

from collections.abc import Sequence
from typing import Any

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
            state[layer.name] = (master, master.copy(), master.copy())
    return state

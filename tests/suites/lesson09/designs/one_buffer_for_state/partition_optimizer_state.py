"""The three numbers of an element lie in one buffer."""

from collections.abc import Sequence
from typing import Any

from layers import Linear

from grader.devices import DeviceArray as Array


def partition_optimizer_state(
    layers: Sequence[Linear], parameters: dict[str, Array], rank: int, world_size: int
) -> dict[str, Any]:
    state: dict[str, Any] = {}
    for layer in layers:
        if layer.trainable:
            whole = parameters[layer.name].ravel()
            count = -(-whole.size // world_size)
            own = whole[rank * count : (rank + 1) * count]
            buffer = whole.device.zeros((3, count), "float32")
            buffer[0, : own.size] = own
            state[layer.name] = list(buffer)
    return state

# caught by: train_step_stage2-collectives
# defect: All-reduces each gradient when it comes, and keeps its piece.

from collections.abc import Sequence
from typing import Any

from adam import Adam
from layers import Linear, backpropagate
from train_step_stage1 import update

from grader.devices import DeviceArray as Array
from grader.devices import Group


def train_step_stage2(
    layers: Sequence[Linear],
    parameters: dict[str, Array],
    gradients: dict[str, Array],
    state: dict[str, Any],
    batches: Sequence[tuple[Array, Array]],
    group: Group,
    adam: Adam,
) -> None:
    for inputs, targets in batches:
        for name, gradient in backpropagate(layers, parameters, inputs, targets):
            group.all_reduce(gradient, op="avg")
            piece = gradients[name]
            own = gradient.ravel()[group.rank * piece.size : (group.rank + 1) * piece.size]
            piece[: own.size] += own
    for name, mean in gradients.items():
        mean /= len(batches)
        update(parameters[name], state[name], mean, group, adam)

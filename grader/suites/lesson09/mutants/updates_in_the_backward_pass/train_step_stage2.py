# caught by: train_step_stage2-values
# defect: Updates a weight when its gradient comes, while the backward pass still needs the old one.

from collections.abc import Sequence
from typing import Any

from adam import Adam
from layers import Linear, backpropagate
from reduce_gradients import reduce_gradients
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
            gradients[name] += reduce_gradients({name: gradient}, state, group)[name]
            update(parameters[name], state[name], gradients[name] / len(batches), group, adam)

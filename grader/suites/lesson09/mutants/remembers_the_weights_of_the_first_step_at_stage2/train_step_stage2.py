# caught by: train_step_stage2-joined
# defect: Notes the names in the first step, and updates no others later.

from collections.abc import Sequence
from typing import Any

from adam import Adam
from layers import Linear, backpropagate
from reduce_gradients import reduce_gradients
from train_step_stage1 import update

from grader.devices import DeviceArray as Array
from grader.devices import Group

NAMES: list[str] = []


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
    if adam.step == 1:
        NAMES[:] = gradients
    for name in NAMES:
        mean = gradients[name]
        mean /= len(batches)
        update(parameters[name], state[name], mean, group, adam)

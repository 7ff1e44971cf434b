# caught by: train_step_stage2-sent
# defect: Gathers the weights at the start of the step as well, though they are whole.

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
    for name, (master, _, _) in state.items():
        whole = group.device.empty(group.size * master.size, parameters[name].dtype)
        group.all_gather_into_tensor(whole, master.astype(whole.dtype))
    for inputs, targets in batches:
        for name, gradient in backpropagate(layers, parameters, inputs, targets):
            gradients[name] += reduce_gradients({name: gradient}, state, group)[name]
    for name, mean in gradients.items():
        mean /= len(batches)
        update(parameters[name], state[name], mean, group, adam)

# caught by: train_step_stage1-values
# defect: Divides the mean by the number of ranks once more.

from collections.abc import Sequence
from typing import Any

from adam import Adam
from layers import Linear, backpropagate
from reduce_gradients import reduce_gradients

from grader.devices import DeviceArray as Array
from grader.devices import Group


def train_step_stage1(
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
            gradients[name] += gradient
    for name, whole in gradients.items():
        whole /= len(batches) * group.size
        mean = reduce_gradients({name: whole}, state, group)[name]
        update(parameters[name], state[name], mean, group, adam)


def update(parameter: Array, state: tuple[Array, Array, Array], mean: Array, group: Group, adam: Adam) -> None:
    master, momentum, variance = state
    adam.update(master, momentum, variance, mean)
    whole = group.device.empty(group.size * master.size, parameter.dtype)
    group.all_gather_into_tensor(whole, master.astype(parameter.dtype))
    parameter[...] = whole[: parameter.size].reshape(parameter.shape)

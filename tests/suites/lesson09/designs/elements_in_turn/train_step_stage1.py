"""Gathers padded pieces, and deals them out in turn."""

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
            gradient /= len(batches)
            gradients[name] += gradient
    for name, mean in reduce_gradients(gradients, state, group).items():
        update(parameters[name], state[name], mean, group, adam)


def update(parameter: Array, state: tuple[Array, Array, Array], mean: Array, group: Group, adam: Adam) -> None:
    adam.update(*state, mean)
    count = -(-parameter.size // group.size)
    own = group.device.zeros(count, parameter.dtype)
    own[: mean.size] = state[0]
    whole = group.device.empty((group.size, count), parameter.dtype)
    group.all_gather_into_tensor(whole, own)
    parameter[...] = whole.T.ravel()[: parameter.size].reshape(parameter.shape)

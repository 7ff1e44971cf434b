"""One training step at stage 2: each gradient is reduced when it comes, and only a piece of it stays."""

from collections.abc import Sequence
from typing import Any

from adam import Adam
from layers import Linear, backpropagate
from reduce_gradients import reduce_gradients

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
    """Pieces add up over micro-batches; then weight by weight update, gather."""
    for inputs, targets in batches:
        for name, gradient in backpropagate(layers, parameters, inputs, targets):
            gradients[name] += reduce_gradients({name: gradient}, state, group)[name]
    for name, mean in gradients.items():
        mean /= len(batches)
        update(parameters[name], state[name], mean, group, adam)


def update(parameter: Array, state: tuple[Array, Array, Array], mean: Array, group: Group, adam: Adam) -> None:
    """Update this rank's elements of a weight, then gather those of all ranks into it."""
    master, momentum, variance = state
    adam.update(master, momentum, variance, mean)
    whole = group.device.empty(group.size * master.size, parameter.dtype)
    group.all_gather_into_tensor(whole, master.astype(parameter.dtype))
    parameter[...] = whole[: parameter.size].reshape(parameter.shape)

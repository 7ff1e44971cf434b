"""Each owner updates its weights, and broadcasts them."""

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
    update(parameters, state, reduce_gradients(gradients, state, group), group, adam)


def update(
    parameters: dict[str, Array], state: dict[str, Any], means: dict[str, Array], group: Group, adam: Adam
) -> None:
    for name, own in state.items():
        if own["owner"] == group.rank:
            adam.update(*own["arrays"], means[name])
            parameters[name][...] = own["arrays"][0]
        group.broadcast(parameters[name], own["owner"])

"""Each rank updates its slices, and broadcasts them."""

from collections.abc import Sequence
from typing import Any

from adam import Adam
from layers import Linear, backpropagate
from reduce_gradients import reduce_gradients, slices

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
    for name in [name for bucket in state.values() for name in bucket["begins"]]:
        flat = parameters[name].ravel()
        for owner, part, within, arrays in slices(name, flat.size, state, group):
            if owner == group.rank:
                own = [array[within] for array in arrays]
                adam.update(*own, means[name])
                flat[part] = own[0]
            group.broadcast(flat[part], owner)

"""Reduces all gradients in one collective, and gathers all weights in one: a further copy of each, one at a time."""

from collections.abc import Sequence
from typing import Any

from adam import Adam
from layers import Linear, backpropagate

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
    names = list(state)
    sizes = [state[name][0].size for name in names]
    ends = [sum(sizes[: place + 1]) for place in range(len(sizes))]
    cuts = [(name, slice(end - size, end)) for name, size, end in zip(names, sizes, ends, strict=True)]

    bucket = group.device.zeros((group.size, sum(sizes)), "float16")
    for name, cut in cuts:
        _copy(gradients[name].ravel(), bucket[:, cut], back=False)
    mean = group.device.empty(sum(sizes), "float16")
    group.reduce_scatter_tensor(mean, bucket, op="avg")
    del bucket
    new = group.device.empty(sum(sizes), "float16")
    for name, cut in cuts:
        adam.update(*state[name], mean[cut])
        new[cut] = state[name][0]
    bucket = group.device.empty((group.size, sum(sizes)), "float16")
    group.all_gather_into_tensor(bucket, new)
    for name, cut in cuts:
        _copy(parameters[name].ravel(), bucket[:, cut], back=True)


def _copy(flat: Array, rows: Array, back: bool) -> None:
    """Between a weight and its column of the bucket, which has a row for each rank."""
    count = rows.shape[1]
    for rank, row in enumerate(rows):
        part = flat[rank * count : (rank + 1) * count]
        if back:
            part[...] = row[: part.size]
        else:
            row[: part.size] = part

"""All gradient pieces lie in one buffer. The update is made in it, piece by piece, after the last micro-batch."""

from collections.abc import Sequence

from gather import gather
from layers import Linear, loss_gradient
from reduce_gradient import reduce_gradient
from release import release

from grader.devices import DeviceArray as Array
from grader.devices import Group


def train_step(
    layers: Sequence[Linear],
    shards: dict[str, Array],
    batches: Sequence[tuple[Array, Array]],
    group: Group,
    lr: float,
) -> None:
    trainable = {layer.name: shards[layer.name] for layer in layers if layer.trainable}
    dtype = next(iter(shards.values())).dtype
    buffer = group.device.zeros(sum(piece.size for piece in trainable.values()), dtype)
    views, start = {}, 0
    for name, piece in trainable.items():
        views[name] = buffer[start : start + piece.size].reshape(piece.shape)
        start += piece.size

    for inputs, targets in batches:
        saved, flow = [], inputs
        for layer in layers:
            weight = gather(shards[layer.name], layer.shape, group)
            flow, kept = layer.forward(flow, weight)
            release(weight)
            saved.append(kept)
        flow = loss_gradient(flow, targets)
        for layer in layers[::-1]:
            weight = gather(shards[layer.name], layer.shape, group)
            flow, whole = layer.backward(flow, saved.pop(), weight)
            release(weight)
            if whole is not None:
                views[layer.name] += reduce_gradient(whole, group)
                release(whole)
    buffer *= lr / len(batches)
    for name, view in views.items():
        shards[name] -= view

"""The last layer runs backward as soon as it has run forward, so its weight stays gathered between the two."""

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
    names = {layer.name for layer in layers if layer.trainable}
    gradients = {name: group.device.zeros(shards[name].shape, shards[name].dtype) for name in sorted(names)}
    for inputs, targets in batches:
        saved, flow, last = [], inputs, None
        for place, layer in enumerate(layers):
            weight = gather(shards[layer.name], layer.shape, group)
            flow, kept = layer.forward(flow, weight)
            saved.append(kept)
            if place + 1 < len(layers):
                release(weight)
            else:
                last = weight
        flow = loss_gradient(flow, targets)
        for layer in reversed(layers):
            weight = gather(shards[layer.name], layer.shape, group) if last is None else last
            last = None
            flow, whole = layer.backward(flow, saved.pop(), weight)
            release(weight)
            if layer.trainable:
                gradients[layer.name] += reduce_gradient(whole, group)
            del whole
    for name, gradient in gradients.items():
        shards[name][...] = shards[name] - gradient * (lr / len(batches))

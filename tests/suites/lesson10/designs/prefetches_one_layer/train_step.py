"""The next weight is gathered while a layer runs: two are alive at once, and never more."""

from collections.abc import Iterator, Sequence

from gather import gather
from layers import Linear, loss_gradient
from reduce_gradient import reduce_gradient
from release import release

from grader.devices import DeviceArray as Array
from grader.devices import Group


def weights(layers: Sequence[Linear], shards: dict[str, Array], group: Group) -> Iterator[tuple[Linear, Array]]:
    """Each layer with its gathered weight, the next one gathered already."""
    ahead = None
    for place, layer in enumerate(layers):
        weight = gather(shards[layer.name], layer.shape, group) if ahead is None else ahead
        ahead = None
        if place + 1 < len(layers):
            following = layers[place + 1]
            ahead = gather(shards[following.name], following.shape, group)
        yield layer, weight
        release(weight)


def train_step(
    layers: Sequence[Linear],
    shards: dict[str, Array],
    batches: Sequence[tuple[Array, Array]],
    group: Group,
    lr: float,
) -> None:
    gradients: dict[str, Array] = {}
    for inputs, targets in batches:
        saved, flow = [], inputs
        for layer, weight in weights(layers, shards, group):
            flow, kept = layer.forward(flow, weight)
            saved.append(kept)
        flow = loss_gradient(flow, targets)
        for layer, weight in weights(layers[::-1], shards, group):
            flow, whole = layer.backward(flow, saved.pop(), weight)
            if whole is not None:
                piece = reduce_gradient(whole, group)
                whole.free()
                gradients[layer.name] = gradients[layer.name] + piece if layer.name in gradients else piece
    for name, gradient in gradients.items():
        gradient *= lr / len(batches)
        shards[name] -= gradient

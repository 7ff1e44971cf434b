# caught by: train_step-unused
# defect: Looks for a gradient of every shard and raises for the one that no layer uses.

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
    gradients: dict[str, Array] = {}
    for inputs, targets in batches:
        saved = []
        outputs = inputs
        for layer in layers:
            weight = gather(shards[layer.name], layer.shape, group)
            outputs, kept = layer.forward(outputs, weight)
            release(weight)
            saved.append(kept)

        gradient = loss_gradient(outputs, targets)
        for layer in reversed(layers):
            weight = gather(shards[layer.name], layer.shape, group)
            gradient, whole = layer.backward(gradient, saved.pop(), weight)
            release(weight)
            if whole is None:
                continue
            piece = reduce_gradient(whole, group)
            del whole  # else it would live on beside the next layer's
            if layer.name in gradients:
                gradients[layer.name] += piece
            else:
                gradients[layer.name] = piece

    frozen = {layer.name for layer in layers if not layer.trainable}
    for name in shards.keys() - frozen:
        shards[name] -= lr / len(batches) * gradients[name]

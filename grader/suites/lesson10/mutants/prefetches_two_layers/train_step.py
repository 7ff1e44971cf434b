# caught by: train_step-alive
# defect: Gathers two layers ahead, so three whole weights are alive at once.

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
        saved, ahead, coming = [], [], list(layers)
        outputs = inputs
        for layer in layers:
            while coming and len(ahead) < 3:
                following = coming.pop(0)
                ahead.append(gather(shards[following.name], following.shape, group))
            weight = ahead.pop(0)
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

    for name, piece in gradients.items():
        shards[name] -= lr / len(batches) * piece

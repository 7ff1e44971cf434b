"""Given: linear layers, and the gradients of a loss one by one. Read it; grading always uses the course's own copy.

A weight has shape (out, in), as in ``torch.nn.Linear``. A batch has one example in each row.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.devices import DeviceArray as Array


@dataclass(frozen=True)
class Linear:
    """A layer with one weight and no bias: ``outputs = inputs @ weight.T``.

    The layer holds no numbers. Its weight is found by ``name``; two layers of one name are tied, they
    share a weight. ``shape`` is that of the weight, (out, in). A layer that is not ``trainable`` is frozen:
    its weight never changes.
    """

    name: str
    shape: tuple[int, int]
    trainable: bool = True


def backpropagate(
    layers: Sequence[Linear], parameters: Mapping[str, Array], inputs: Array, targets: Array
) -> Iterator[tuple[str, Array]]:
    """Run forward through the layers and back, and give each gradient as soon as it is complete.

    layers: in the order in which they run.
    parameters: from a layer's name to its whole weight. It is read in both passes, and must not change
        before the last gradient is there.
    inputs, targets: one batch, of shapes (rows, in of the first layer) and (rows, out of the last).

    Yields pairs (name, gradient), the last layer first: the gradient, by the layer's weight and of its
    shape, of the loss 1/2 * sum((outputs - targets)^2) / rows. It yields nothing for a frozen layer. A name
    that two layers have comes twice, and its gradient is the sum of both.

    Whoever takes a gradient holds it: what is not kept is freed before the next one is made.
    """
    kept = []
    outputs = inputs
    for layer in layers:
        kept.append(outputs)
        outputs = outputs @ parameters[layer.name].T
    gradient = outputs - targets
    gradient /= inputs.shape[0]
    for layer in reversed(layers):
        given = kept.pop()
        if layer.trainable:
            yield layer.name, gradient.T @ given
        gradient = gradient @ parameters[layer.name]

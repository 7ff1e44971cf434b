"""Given: linear layers and the gradient of a loss. Read it; grading always uses the course's own copy.

A weight has shape (out, in), as in ``torch.nn.Linear``. A batch has one example in each row.
"""

from dataclasses import dataclass

from grader.devices import DeviceArray as Array


@dataclass(frozen=True)
class Saved:
    """What a layer's forward pass keeps for its backward pass, as PyTorch's autograd does.

    inputs: the layer's inputs, shape (rows, in).
    weight: the transposed weight, shape (in, out), a view. It shares the weight's storage, so while a
        Saved lives, that storage is not freed because other names for it are gone.
    """

    inputs: Array
    weight: Array


@dataclass(frozen=True)
class Linear:
    """A layer with one weight and no bias: ``outputs = inputs @ weight.T``.

    The layer holds no numbers. Its weight is found by ``name``; two layers of one name are tied, they
    share a weight. ``shape`` is that of the whole weight, (out, in). A layer that is not ``trainable`` is
    frozen: its weight never changes.
    """

    name: str
    shape: tuple[int, int]
    trainable: bool = True

    def forward(self, inputs: Array, weight: Array) -> tuple[Array, Saved]:
        """Run the layer.

        inputs: shape (rows, in).
        weight: the whole weight, shape (out, in).

        Returns the outputs, shape (rows, out), and what ``backward`` needs.
        """
        transposed = weight.T
        return inputs @ transposed, Saved(inputs, transposed)

    def backward(self, grad_outputs: Array, saved: Saved, weight: Array) -> tuple[Array, Array | None]:
        """Run the layer backwards.

        grad_outputs: the loss's gradient by the outputs, shape (rows, out).
        saved: what this layer's ``forward`` returned. Only its inputs are read.
        weight: the whole weight, shape (out, in).

        Returns the loss's gradient by the inputs, shape (rows, in), and by the weight, shape (out, in),
        which is None if the layer is frozen.
        """
        grad_weight = grad_outputs.T @ saved.inputs if self.trainable else None
        return grad_outputs @ weight, grad_weight


def loss_gradient(outputs: Array, targets: Array) -> Array:
    """The gradient, by the outputs, of the loss 1/2 * sum((outputs - targets)^2) / rows.

    outputs, targets: shape (rows, out). Returns a new array of that shape.

    Example: outputs [[2.0], [5.0]] and targets [[1.0], [1.0]] give [[0.5], [2.0]].
    """
    gradient = outputs - targets
    gradient /= outputs.shape[0]
    return gradient

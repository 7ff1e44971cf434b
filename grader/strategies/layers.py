"""What strategies train: layers with one parameter each, and the loss at their end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from grader.devices import DeviceArray as Array


class Layer(Protocol):
    """A layer with one parameter, found by ``name``: layers of one name are tied. Frozen if not ``trainable``."""

    @property
    def name(self) -> str: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def trainable(self) -> bool: ...

    def forward(self, inputs: Array, weight: Array) -> tuple[Array, Any]:
        """The outputs, and what ``backward`` needs."""

    def backward(self, grad_outputs: Array, saved: Any, weight: Array) -> tuple[Array, Array | None]:
        """The loss's gradient by the inputs, and by the weight, which is None if the layer is frozen."""


@dataclass(frozen=True, slots=True)
class Linear:
    """``outputs = inputs @ weight.T``, without a bias; ``shape`` is (out, in)."""

    name: str
    shape: tuple[int, int]
    trainable: bool = True

    def forward(self, inputs: Array, weight: Array) -> tuple[Array, Array]:
        return inputs @ weight.T, inputs

    def backward(self, grad_outputs: Array, saved: Array, weight: Array) -> tuple[Array, Array | None]:
        return grad_outputs @ weight, grad_outputs.T @ saved if self.trainable else None


def loss_gradient(outputs: Array, targets: Array, batches: int) -> Array:
    """The gradient, by the outputs, of 1/2 * sum((outputs - targets)^2) / rows / batches."""
    gradient = outputs - targets
    gradient /= outputs.shape[0] * batches
    return gradient

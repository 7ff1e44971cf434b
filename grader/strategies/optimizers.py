"""Optimizers on whatever a strategy gives them: whole parameters or pieces.

Where parameters are kept in less than 32 bits, the optimizer holds float32 master weights and updates those.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from grader.devices import DeviceArray as Array

from .precision import Precision

State = Mapping[str, Array]


@dataclass(frozen=True, slots=True)
class Optimizer(ABC):
    """``moments`` are the names of what it remembers of each parameter; ``scratch`` counts its temporary arrays."""

    moments: ClassVar[tuple[str, ...]] = ()
    scratch: ClassVar[int] = 1

    def prepare(self, parameters: Array, precision: Precision) -> State:
        """The state for ``parameters``, all of it in the master dtype."""
        state = {name: parameters.device.zeros(parameters.shape, precision.master) for name in self.moments}
        if precision.kept != precision.master:
            state["master"] = parameters.astype(precision.master)
        return state

    def bytes_per_parameter(self, precision: Precision) -> int:
        """Bytes of its state for one parameter.

        >>> from grader.strategies import FSDP, FULL, SGD, ZERO, Adam
        >>> [(Adam().bytes_per_parameter(each), SGD().bytes_per_parameter(each)) for each in (FULL, ZERO, FSDP)]
        [(8, 0), (12, 4), (8, 0)]
        """
        arrays = len(self.moments) + (precision.kept != precision.master)
        return arrays * np.dtype(precision.master).itemsize

    def update(self, parameters: Array, gradients: Array, state: State, lr: float, count: int) -> None:
        """Make update number ``count``, from 1, of ``parameters`` in place."""
        weights = state.get("master", parameters)
        weights -= self.change(gradients.astype(weights.dtype), state, lr, count)
        if weights is not parameters:
            parameters[...] = weights

    @abstractmethod
    def change(self, gradients: Array, state: State, lr: float, count: int) -> Array:
        """What to subtract from the weights; may overwrite ``gradients``."""


@dataclass(frozen=True, slots=True)
class SGD(Optimizer):
    """``weight -= lr * gradient``."""

    def change(self, gradients: Array, state: State, lr: float, count: int) -> Array:
        gradients *= lr
        return gradients


@dataclass(frozen=True, slots=True)
class Adam(Optimizer):
    """Adam with bias correction and no weight decay, as ``torch.optim.Adam``."""

    moments = ("momentum", "variance")
    scratch = 2

    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8

    def change(self, gradients: Array, state: State, lr: float, count: int) -> Array:
        momentum, variance = state["momentum"], state["variance"]
        momentum *= self.beta1
        momentum += gradients * (1 - self.beta1)
        gradients *= gradients
        gradients *= 1 - self.beta2
        variance *= self.beta2
        variance += gradients
        gradients[...] = variance
        gradients /= 1 - self.beta2**count
        np.sqrt(gradients, out=gradients)  # type: ignore[call-overload]
        gradients += self.epsilon
        change = momentum / gradients
        change *= lr / (1 - self.beta1**count)
        return change

"""Given: Adam's update of a few elements. Read it; grading always uses the course's own copy."""

from dataclasses import dataclass

import numpy as np

from grader.devices import DeviceArray as Array


@dataclass(frozen=True)
class Adam:
    """Adam at one step of the training. ``step`` counts the steps from 1.

    Tests set a large ``epsilon``. With the usual one, 1e-8, Adam makes the same step of gradients that are
    too large by a factor as of the right ones, and hides the error.
    """

    lr: float
    step: int
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8

    def update(self, master: Array, momentum: Array, variance: Array, gradient: Array) -> None:
        """Update the first three in place, element by element.

        master, momentum, variance: the optimizer state of some elements, in float32 and of one shape: the
            master copy of the parameters, and the means of their gradients and of the squares of these,
            both 0 at first.
        gradient: the gradient of these elements, of the same shape, in float16 or float32. Stays as it is.
        """
        gradient = gradient.astype(master.dtype)
        momentum *= self.beta1
        momentum += (1 - self.beta1) * gradient
        variance *= self.beta2
        variance += (1 - self.beta2) * gradient * gradient
        root = np.sqrt(variance / (1 - self.beta2**self.step))
        master -= self.lr / (1 - self.beta1**self.step) * momentum / (root + self.epsilon)

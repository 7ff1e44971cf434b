"""Pads with rows, and keeps rows."""

from typing import Any

import numpy as np

from grader.devices import DeviceArray as Array
from grader.devices import Group


def reduce_gradients(gradients: dict[str, Array], state: dict[str, Any], group: Group) -> dict[str, Array]:
    means = {}
    for name, gradient in gradients.items():
        rows, columns = state[name][0].shape
        missing = group.size * rows - gradient.shape[0]
        padding = group.device.zeros((missing, columns), gradient.dtype)
        mean = group.device.empty((rows, columns), gradient.dtype)
        group.reduce_scatter_tensor(mean, np.concatenate([gradient, padding]), op="avg")
        means[name] = mean
    return means

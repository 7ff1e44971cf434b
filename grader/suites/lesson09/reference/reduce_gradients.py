"""Reducing gradients into the layout of the optimizer state, one reduce-scatter for each."""

from typing import Any

import numpy as np

from grader.devices import DeviceArray as Array
from grader.devices import Group


def reduce_gradients(gradients: dict[str, Array], state: dict[str, Any], group: Group) -> dict[str, Array]:
    """By name the mean over ranks of this rank's elements. A gradient is copied only to pad it."""
    means = {}
    for name, gradient in gradients.items():
        whole = gradient.ravel()
        master, _, _ = state[name]
        mean = group.device.empty(master.size, gradient.dtype)
        missing = group.size * mean.size - whole.size
        if missing:
            whole = np.concatenate([whole, group.device.zeros(missing, gradient.dtype)])
        group.reduce_scatter_tensor(mean, whole, op="avg")
        means[name] = mean
    return means

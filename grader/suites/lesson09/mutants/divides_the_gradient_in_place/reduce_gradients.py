# caught by: reduce_gradients-owns
# defect: Divides the caller's gradient, and adds up.

import numpy as np

from grader.devices import DeviceArray as Array
from grader.devices import Group


def reduce_gradients(gradients: dict[str, Array], group: Group) -> dict[str, Array]:
    means = {}
    for name, gradient in gradients.items():
        gradient /= group.size
        whole = gradient.ravel()
        mean = group.device.empty(-(-whole.size // group.size), gradient.dtype)
        missing = group.size * mean.size - whole.size
        if missing:
            whole = np.concatenate([whole, group.device.zeros(missing, gradient.dtype)])
        group.reduce_scatter_tensor(mean, whole, op="sum")
        means[name] = mean
    return means

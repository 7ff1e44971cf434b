# caught by: reduce_gradients-sent
# defect: Reduces in 32 bits, which is twice the bytes.

import numpy as np

from grader.devices import DeviceArray as Array
from grader.devices import Group


def reduce_gradients(gradients: dict[str, Array], group: Group) -> dict[str, Array]:
    means = {}
    for name, gradient in gradients.items():
        whole = gradient.ravel()
        mean = group.device.empty(-(-whole.size // group.size), "float32")
        missing = group.size * mean.size - whole.size
        if missing:
            whole = np.concatenate([whole, group.device.zeros(missing, gradient.dtype)])
        group.reduce_scatter_tensor(mean, whole.astype("float32"), op="avg")
        means[name] = mean.astype(gradient.dtype)
    return means

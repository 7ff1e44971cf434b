# caught by: reduce_gradients-collectives
# defect: All-reduces the whole gradient and keeps a slice: right numbers, twice the bytes.

import numpy as np

from grader.devices import DeviceArray as Array
from grader.devices import Group


def reduce_gradients(gradients: dict[str, Array], group: Group) -> dict[str, Array]:
    means = {}
    for name, gradient in gradients.items():
        whole = gradient.ravel()
        mean = group.device.empty(-(-whole.size // group.size), gradient.dtype)
        missing = group.size * mean.size - whole.size
        if missing:
            whole = np.concatenate([whole, group.device.zeros(missing, gradient.dtype)])
        total = whole.copy()
        group.all_reduce(total, op="avg")
        mean[...] = total[group.rank * mean.size : (group.rank + 1) * mean.size]
        means[name] = mean
    return means

# caught by: reduce_gradients-collectives
# defect: All-reduces the whole gradient and keeps a slice: right numbers, twice the bytes.

from typing import Any

import numpy as np

from grader.devices import DeviceArray as Array
from grader.devices import Group


def reduce_gradients(gradients: dict[str, Array], state: dict[str, Any], group: Group) -> dict[str, Array]:
    means = {}
    for name, gradient in gradients.items():
        whole = gradient.ravel()
        master, _, _ = state[name]
        mean = group.device.empty(master.size, gradient.dtype)
        missing = group.size * mean.size - whole.size
        if missing:
            whole = np.concatenate([whole, group.device.zeros(missing, gradient.dtype)])
        total = whole.copy()
        group.all_reduce(total, op="avg")
        mean[...] = total[group.rank * mean.size : (group.rank + 1) * mean.size]
        means[name] = mean
    return means

# caught by: reduce_gradients-mean
# defect: Cuts its piece out of its own gradient, and reduces nothing.

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
        mean[...] = whole[group.rank * mean.size : (group.rank + 1) * mean.size]
        means[name] = mean
    return means

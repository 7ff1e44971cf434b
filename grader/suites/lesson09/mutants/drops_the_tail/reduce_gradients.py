# caught by: reduce_gradients-uneven
# defect: Rounds the size of a piece down and leaves the last elements out.

from typing import Any

from grader.devices import DeviceArray as Array
from grader.devices import Group


def reduce_gradients(gradients: dict[str, Array], state: dict[str, Any], group: Group) -> dict[str, Array]:
    means = {}
    for name, gradient in gradients.items():
        whole = gradient.ravel()
        mean = group.device.empty(whole.size // group.size, gradient.dtype)
        whole = whole[: group.size * mean.size]
        group.reduce_scatter_tensor(mean, whole, op="avg")
        means[name] = mean
    return means

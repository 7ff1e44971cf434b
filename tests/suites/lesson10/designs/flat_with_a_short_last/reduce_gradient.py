from shard import bounds

from grader.devices import DeviceArray as Array
from grader.devices import Group


def reduce_gradient(gradient: Array, group: Group) -> Array:
    _, count = bounds(gradient.size, 0, group.size)
    flat = group.device.zeros(count * group.size, gradient.dtype)
    flat[: gradient.size] = gradient.ravel() / group.size
    mean = group.device.empty(count, gradient.dtype)
    group.reduce_scatter_tensor(mean, flat)
    start, end = bounds(gradient.size, group.rank, group.size)
    return mean if end - start == count else mean[: end - start].copy()

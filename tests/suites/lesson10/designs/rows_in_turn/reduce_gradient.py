import numpy as np

from grader.devices import DeviceArray as Array
from grader.devices import Group


def reduce_gradient(gradient: Array, group: Group) -> Array:
    table = gradient.reshape(gradient.shape or (1,))
    rows, *rest = table.shape
    count = -(-rows // group.size)
    table = np.concatenate([table, group.device.zeros((group.size * count - rows, *rest), gradient.dtype)])
    by_rank = table.reshape((count, group.size, *rest)).swapaxes(0, 1).copy()
    mean = group.device.empty((count, *rest), gradient.dtype)
    group.reduce_scatter_tensor(mean, by_rank, op="avg")
    return mean

import numpy as np

from grader.devices import DeviceArray as Array
from grader.devices import Group


def reduce_gradient(gradient: Array, group: Group) -> Array:
    count = -(-gradient.size // group.size)
    flat = np.pad(gradient.ravel(), (0, group.size * count - gradient.size))
    piece = group.device.empty(count, gradient.dtype)
    group.reduce_scatter_tensor(piece, flat, op="sum")
    piece /= group.size
    return piece

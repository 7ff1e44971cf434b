from grader.devices import DeviceArray as Array
from grader.devices import Group


def reduce_gradient(gradient: Array, group: Group) -> Array:
    mean = gradient.copy()
    group.all_reduce(mean, op="avg")
    return mean

from grader.devices import DeviceArray as Array
from grader.devices import Group


def share(x: Array, group: Group) -> Array:
    group.all_reduce(x)
    return x

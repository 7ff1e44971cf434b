from grader.devices import DeviceArray as Array
from grader.devices import Group


def share(x: Array, group: Group) -> Array:
    raise NotImplementedError

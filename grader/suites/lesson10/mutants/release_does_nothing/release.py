# caught by: release-frees
# defect: Leaves freeing to others, and somebody always holds a view.

from grader.devices import DeviceArray as Array


def release(full: Array) -> None:
    pass

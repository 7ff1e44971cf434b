# caught by: release-frees
# defect: Deletes its own name for the array, which frees nothing.

from grader.devices import DeviceArray as Array


def release(full: Array) -> None:
    del full

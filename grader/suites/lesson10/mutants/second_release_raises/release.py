# caught by: release-twice
# defect: Frees without looking, so a second release is a double free.

from grader.devices import DeviceArray as Array


def release(full: Array) -> None:
    full.free()

# caught by: release-frees
# defect: Frees a copy; the gathered storage stays.

from grader.devices import DeviceArray as Array


def release(full: Array) -> None:
    full = full.copy()
    full.free()

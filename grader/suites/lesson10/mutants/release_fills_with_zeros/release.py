# caught by: release-frees
# defect: Overwrites the values but keeps the storage.

from grader.devices import DeviceArray as Array


def release(full: Array) -> None:
    full[...] = 0

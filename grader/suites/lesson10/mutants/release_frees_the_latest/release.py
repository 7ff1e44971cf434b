from gather import LATEST

from grader.devices import DeviceArray as Array


def release(full: Array) -> None:
    for array in (full, *LATEST):
        if not array.is_freed:
            array.free()
    LATEST.clear()

from gather import TOUCHED

from grader.devices import DeviceArray as Array


def release(full: Array) -> None:
    for array in (full, *TOUCHED):
        if not array.is_freed:
            array.free()
    TOUCHED.clear()

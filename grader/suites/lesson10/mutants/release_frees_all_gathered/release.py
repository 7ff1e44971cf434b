from gather import GATHERED

from grader.devices import DeviceArray as Array


def release(full: Array) -> None:
    for gathered in GATHERED:
        if not gathered.is_freed:
            gathered.free()
    GATHERED.clear()

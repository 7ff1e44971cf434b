# caught by: release-frees
# defect: Frees only what was freed already.

from grader.devices import DeviceArray as Array


def release(full: Array) -> None:
    if full.is_freed:
        full.free()

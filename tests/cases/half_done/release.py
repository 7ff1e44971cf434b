"""Releasing: the storage goes back, not just a name for it."""

from grader.devices import DeviceArray as Array


def release(full: Array) -> None:
    """Free the storage under ``full`` and under every view of it."""
    if not full.is_freed:
        full.free()

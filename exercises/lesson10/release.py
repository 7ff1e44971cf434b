"""Releasing: the memory of a gathered parameter goes back."""

from grader.devices import DeviceArray as Array


def release(full: Array) -> None:
    """Give back the storage of a gathered parameter.

    full: what your ``gather`` returned. Other names for it, and views of it, may still be about.

    Afterwards the storage is free, whoever holds a view of it; to use one of them is an error. The shard
    stays readable and unchanged.

    Errors: none to raise; a parameter that was released already (``full.is_freed``) is left alone.

    Example: a float32 weight of shape (5, 3) on 4 ranks, cut by rows and padded to 2 rows.
    ``memory_allocated()`` is 24 bytes with the shard alone, 120 after ``gather``, and 24 again after
    ``release``, once or twice.
    """
    # TODO: give the storage back.
    raise NotImplementedError

"""Sharding: each rank keeps a piece of a parameter."""

from grader.devices import DeviceArray as Array


def shard(full: Array, rank: int, world_size: int) -> Array:
    """Keep this rank's piece of a parameter, in storage of its own.

    full: the whole parameter, on this rank's device. Any shape, 0-d and empty ones too; any dtype;
        perhaps a view, such as a transpose. It stays as it is.
    rank: which piece, 0 <= rank < world_size.
    world_size: the number of ranks, at least 1.

    Returns one array on ``full.device`` with the dtype of ``full``. Its storage is its own, so that the
    caller can free the whole. Counted with any padding, it holds at most ceil(rows / world_size) rows,
    where rows is the length of the first axis, or at most ceil(size / world_size) elements; 1 element if
    ``full`` is 0-d. The pieces of all ranks together hold every element. How they are cut is your choice,
    if your ``gather`` can undo it.

    Errors: none to raise; every size works on every number of ranks. Nothing is copied to the host.

    Example: ``full`` has shape (5, 3) and holds 0.0 to 14.0. On 4 ranks the largest piece may have
    ceil(5 / 4) = 2 rows. Cut by that, rank 0 has rows 0 and 1, rank 1 rows 2 and 3, rank 2 row 4, which is
    [12.0, 13.0, 14.0], and rank 3 has no row. ``shard(full, 3, 4)`` is an array all the same: of shape
    (2, 3) if you pad, else (0, 3).
    """
    # TODO: copy this rank's piece into an array of its own.
    raise NotImplementedError

"""Gathering: the ranks put a parameter together from their pieces."""

from grader.devices import DeviceArray as Array
from grader.devices import Group


def gather(piece: Array, shape: tuple[int, ...], group: Group) -> Array:
    """Put the whole parameter together from the pieces of all ranks.

    piece: what your ``shard(full, group.rank, group.size)`` returned on this rank. It stays as it is.
    shape: the shape of the whole parameter, the same on every rank.
    group: the ranks that hold a piece. All of them call ``gather`` at the same time.

    Returns the whole parameter on ``group.device``, with this shape and the dtype of ``piece``, exactly
    as it was before it was cut. Its storage is not that of ``piece``, on one rank neither. No value of
    the padding gets into it.

    Sends: at most one all-gather, so (group.size - 1) x the bytes of the largest piece from each rank. On
    one rank, or for a parameter of no elements, none is needed. Nothing is copied to the host.

    Errors: none to raise. Ranks that pass different shapes or dtypes to a collective get a MismatchError
    that lists what each of them passed.

    Example: shape (5, 3) in float32 on 4 ranks, cut by rows and padded to 2 rows, 24 bytes a piece. Each
    rank passes in 24 bytes and sends 72; the output takes 8 rows, 96 bytes. Its first 5 rows are the
    parameter.
    """
    # TODO: all-gather the pieces and leave the padding behind.
    raise NotImplementedError

"""Reducing a gradient: each rank gets the mean over ranks, of its own piece."""

from grader.devices import DeviceArray as Array
from grader.devices import Group


def reduce_gradient(gradient: Array, group: Group) -> Array:
    """Average a whole gradient over the ranks and keep this rank's piece of the mean.

    gradient: this rank's gradient of a whole parameter, of floats. Any shape and, apart from its values,
        the same on every rank. It stays as it is.
    group: the ranks to average over. All of them call ``reduce_gradient`` at the same time.

    Returns the mean over ranks, laid out as ``shard(gradient, group.rank, group.size)`` would be: same
    shape, same dtype, storage of its own.

    Sends: one reduce-scatter, so (group.size - 1) x the bytes of the largest piece from each rank; an
    all-reduce sends twice that. On one rank, or for a gradient of no elements, none is needed. Nothing is
    copied to the host.

    Errors: none to raise; every size works on every number of ranks.

    Example: on 4 ranks every element of the gradient is 1.0 on rank 0, 2.0 on rank 1, 3.0 on rank 2 and
    4.0 on rank 3. Then each element that a rank keeps is (1 + 2 + 3 + 4) / 4 = 2.5.
    """
    # TODO: reduce-scatter the gradient to its mean.
    raise NotImplementedError

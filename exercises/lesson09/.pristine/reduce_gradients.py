"""Reducing gradients: each rank gets the mean over ranks, of the elements that it updates."""

from typing import Any

from grader.devices import DeviceArray as Array
from grader.devices import Group


def reduce_gradients(gradients: dict[str, Array], state: dict[str, Any], group: Group) -> dict[str, Array]:
    """Average whole gradients over the ranks and keep this rank's piece of the mean.

    gradients: from a weight's name to this rank's gradient of the whole weight: of all trainable weights,
        of some, or of one. Names, shapes and dtype are the same on every rank. They stay as they are.
    state: what your ``partition_optimizer_state`` returned on this rank, for these weights and perhaps for
        others. It stays as it is; where you noted who keeps what, it tells you here.
    group: the ranks to average over. All of them call ``reduce_gradients`` at the same time.

    Returns a dict of arrays: the mean over ranks, of the elements whose optimizer state is on this rank. It
    has the dtype of the gradients and storage of its own. What its keys are is your choice, but a call for
    other names must use other keys: the names themselves will do.

    Memory: as for the state, 1/N of the elements where sizes divide, N = group.size. Sends: where sizes
    divide, all ranks together (N - 1) x the bytes of the gradients, as one reduce-scatter of them does. An
    all-reduce sends twice that and is not used. Nothing is copied to the host.

    Errors: none to raise; every size works on every number of ranks.

    Example: one gradient of shape (3, 2), on 4 ranks, every element of which is 1.0 on rank 0, 2.0 on rank
    1, 3.0 on rank 2 and 4.0 on rank 3. Each element that a rank keeps is (1 + 2 + 3 + 4) / 4 = 2.5.
    """
    # TODO: reduce-scatter each gradient to the mean of this rank's elements.
    raise NotImplementedError

"""One training step in which no rank ever holds the whole model."""

from collections.abc import Sequence

from layers import Linear

from grader.devices import DeviceArray as Array
from grader.devices import Group


def train_step(
    layers: Sequence[Linear],
    shards: dict[str, Array],
    batches: Sequence[tuple[Array, Array]],
    group: Group,
    lr: float,
) -> None:
    """Make one SGD step, ``weight -= lr * gradient``, on sharded weights.

    layers: in the order in which they run. ``layers.py`` has the class, and ``loss_gradient``.
    shards: from a layer's name to this rank's ``shard`` of its weight. Write the new values into these
        arrays, as ``shards[name] -= ...`` does; do not put other arrays in their place.
    batches: this rank's micro-batches, each (inputs, targets) of shapes (rows, in of the first layer) and
        (rows, out of the last). The rows are the same everywhere, the values differ. The arrays stay as
        they are.
    group: the ranks that train together. All of them call ``train_step`` at the same time.
    lr: the learning rate.

    The loss is the mean over micro-batches of the mean over ranks of 1/2 * sum((outputs - targets)^2) /
    rows. All micro-batches see the old weights; the update comes after the last one.

    Memory: at most two gathered weights at once, a peak that does not grow by a weight for each layer,
    and after the step as many bytes as before. Sends: for each layer and micro-batch at most two
    all-gathers and one reduce-scatter; no all-reduce.

    - Layers of one name are tied: their gradients add up, and the weight is updated once.
    - A frozen layer (``trainable=False``) is gathered, never reduced, and keeps its weight.
    - A name in ``shards`` that no layer has is left alone and costs no collective.

    Errors: none to raise. Use your own functions: ``from gather import gather`` and so on.

    Example: one layer of shape (1, 1) with the weight [[2.0]], 2 ranks, lr 0.5, one micro-batch. Inputs are
    [[1.0]] on both ranks, targets [[1.0]] on rank 0 and [[0.0]] on rank 1. The outputs are [[2.0]], the
    weight's gradients [[1.0]] and [[2.0]], and their mean is [[1.5]]. The weight becomes 2.0 - 0.5 * 1.5:
    [[1.25]].
    """
    # TODO: forward through the layers, backward through them, then update the shards.
    raise NotImplementedError

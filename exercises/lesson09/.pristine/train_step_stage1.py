"""One training step at ZeRO stage 1: the optimizer state is partitioned."""

from collections.abc import Sequence
from typing import Any

from adam import Adam
from layers import Linear

from grader.devices import DeviceArray as Array
from grader.devices import Group


def train_step_stage1(
    layers: Sequence[Linear],
    parameters: dict[str, Array],
    gradients: dict[str, Array],
    state: dict[str, Any],
    batches: Sequence[tuple[Array, Array]],
    group: Group,
    adam: Adam,
) -> None:
    """Make one step of Adam, in which each rank updates its own elements and gets those of the others.

    layers: in the order in which they run. ``layers.py`` has the class, and ``backpropagate``.
    parameters: from a name to the whole weight, in float16, the same on every rank. Write the new values
        into these arrays, as ``parameters[name][...] = ...`` does; put no others in their place.
    gradients: from the name of each trainable weight to an array of its shape, in float16, for this rank's
        gradient. They are 0 when the step begins; what is in them afterwards is up to you.
    state: what your ``partition_optimizer_state`` returned on this rank. Write into its arrays, too.
    batches: this rank's micro-batches, each (inputs, targets) of shapes (rows, in of the first layer) and
        (rows, out of the last). The rows are the same everywhere, the values differ. They stay as they are.
    group: the ranks that train together. All of them call this function at the same time.
    adam: what updates the master copy, momentum and variance of some elements. ``adam.py`` has the class.

    The loss is the mean over micro-batches of the mean over ranks of 1/2 * sum((outputs - targets)^2) /
    rows. All micro-batches see the old weights. The new weights are the new master copies in float16.

    Memory: after the step as many bytes as before, so 4 + 12/N bytes a parameter. Meanwhile less than
    two more copies of all weights in float16, and weight by weight almost nothing. Sends: where sizes
    divide, on average (N - 1)/N x the bytes of the gradients and as much for the weights, however many
    micro-batches; no all-reduce.

    - Layers of one name are tied: their gradients add up, and the weight is updated once.
    - A frozen layer has no state. Its weight stays, and nothing is sent for it.
    - Layers may have joined the model since the last step.

    Errors: none to raise. Use your own functions: ``from reduce_gradients import reduce_gradients``.

    Example: one layer of shape (1, 1) with the weight [[2.0]], on 2 ranks. Inputs are [[1.0]] on both ranks,
    targets [[1.0]] on rank 0 and [[0.0]] on rank 1. The gradients are [[1.0]] and [[2.0]], their mean is
    [[1.5]]. The first step of Adam with lr 0.5 and epsilon 0.5 makes 2.0 - 0.5 * 1.5 / (1.5 + 0.5) of the
    weight, on every rank: [[1.625]].
    """
    # TODO: add up whole gradients, reduce them, update this rank's elements, gather the new weights.
    raise NotImplementedError

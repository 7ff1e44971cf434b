"""One training step at ZeRO stage 2: the gradients are partitioned, too."""

from collections.abc import Sequence
from typing import Any

from adam import Adam
from layers import Linear

from grader.devices import DeviceArray as Array
from grader.devices import Group


def train_step_stage2(
    layers: Sequence[Linear],
    parameters: dict[str, Array],
    gradients: dict[str, Array],
    state: dict[str, Any],
    batches: Sequence[tuple[Array, Array]],
    group: Group,
    adam: Adam,
) -> None:
    """Make the step of ``train_step_stage1``, in which no rank keeps a whole gradient.

    gradients: this rank's pieces, as your ``reduce_gradients`` returns them: what it returned for each
        trainable weight alone, joined into one dict. They are 0 when the step begins; what is in them
        afterwards is up to you.

    All else is as in ``train_step_stage1``, the example too, but for memory and traffic.

    Memory: after the step as many bytes as before, so 2 + 14/N bytes a parameter. Meanwhile the whole
    gradients of a layer or two, so a peak that does not grow by a gradient with each layer. Sends: where
    sizes divide, with M micro-batches, on average M x (N - 1)/N x the bytes of the gradients, and (N - 1)/N
    x those of the weights; no all-reduce. A weight of tied layers may be reduced for each of them.

    Errors: none to raise.
    """
    # TODO: reduce each gradient when it comes and add its piece up; then update and gather as in stage 1.
    raise NotImplementedError

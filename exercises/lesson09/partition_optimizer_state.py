"""Optimizer state: each rank keeps that of the elements that it updates."""

from collections.abc import Sequence
from typing import Any

from layers import Linear

from grader.devices import DeviceArray as Array


def partition_optimizer_state(
    layers: Sequence[Linear], parameters: dict[str, Array], rank: int, world_size: int
) -> dict[str, Any]:
    """Make this rank's piece of Adam's state: master copies, momentum and variance.

    layers: the model, or layers that join a model later. ``layers.py`` has the class.
    parameters: from a layer's name to its whole weight in float16, on this rank's device. They stay as they
        are. Names that no layer has may be there too; they get no state.
    rank: which piece, 0 <= rank < world_size.
    world_size: the number of ranks, at least 1.

    Returns a dict. What its keys are, and whether an array, or a list, tuple or dict of arrays and plain
    values is under a key, is your choice, for only your own functions read it. But a later call, for other
    layers, must use other keys: its result is then added to this one, as ``state | added``.

    The state is in float32 and in storage of its own: for each element of each trainable weight its value,
    and two zeros. Each element belongs to one rank, which keeps all three. How you divide is your choice:
    each weight into pieces, all of them end to end, whole weights to ranks. Other elements are padding, 0.

    - Layers of one name are tied and have one weight, so one state.
    - A frozen layer (``trainable=False``) has none.

    Memory: where sizes divide, 12 bytes x all trainable elements / world_size on each rank. Elsewhere all
    ranks together keep at most world_size x ceil(rows / world_size) rows of each weight, three times in
    float32, padding included. Nothing is copied to the host.

    Errors: none to raise; every size works on every number of ranks.

    Example: one layer of shape (3, 2) whose weight holds 1.0 to 6.0, on 4 ranks. Cut into pieces of
    ceil(6 / 4) = 2 elements, rank 1 keeps the master copy [3.0, 4.0], the momentum [0.0, 0.0] and the
    variance [0.0, 0.0]. Rank 3 has no element: its arrays are empty, or padding.
    """
    # TODO: for each trainable weight, make the state of the elements that are this rank's.
    raise NotImplementedError

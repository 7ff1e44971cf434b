"""Reduce-scatter: every rank passes a whole and receives one reduced piece of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ShapeError
from .base import Call, HostArray, Rule, check_contiguous, check_op, check_reduction, check_same_dtype, reduce

if TYPE_CHECKING:
    from ..array import DeviceArray
    from ..group import Group, Work


class ReduceScatter(Rule):
    name = "reduce_scatter_tensor"

    def check_options(self, call: Call, count: int) -> None:
        check_op(call)

    def check(self, call: Call, count: int) -> None:
        check_contiguous(call)
        check_same_dtype(call)
        check_reduction(call)
        whole, piece = call.arrays
        if whole.size != count * piece.size:
            raise ShapeError(
                f"reduce_scatter_tensor on {count} ranks: the input needs {count} x {piece.size} elements "
                f"for an output of shape {piece.shape}; its shape {whole.shape} has {whole.size}"
            )

    def sent(self, call: Call, count: int, position: int) -> int:
        return (count - 1) * call.outputs[0].nbytes

    def execute(
        self, inputs: list[list[HostArray]], outputs: list[list[HostArray]], parameters: Mapping[str, Any]
    ) -> None:
        total = reduce([whole.reshape(-1) for (whole,) in inputs], parameters["op"])
        for (piece,), part in zip(outputs, np.split(total, len(outputs)), strict=True):
            piece.reshape(-1)[...] = part


def reduce_scatter_tensor(
    group: Group, output: DeviceArray, input: DeviceArray, op: str = "sum", *, async_op: bool = False
) -> Work | None:
    """Reduce ``input`` over the ranks and leave piece number ``rank`` of the result in ``output``.

    ``input`` has N x n elements, the same shape and dtype on every rank; ``output`` has n. ``op`` is "sum", "avg",
    "max" or "min". Each rank sends (N-1) x the bytes of ``output``, along a ring. Like
    ``torch.distributed.reduce_scatter_tensor(output, input, op, group)``.

    Raises MismatchError where ranks disagree, ShapeError for an output of another size. With
    ``async_op=True`` returns a Work: call its ``wait()`` before you use ``output`` or change ``input``.

    >>> from grader.devices import Cluster
    >>> cluster = Cluster(2)
    >>> def step(group):
    ...     whole = group.device.zeros(4) + group.rank
    ...     piece = group.device.empty(2)
    ...     group.reduce_scatter_tensor(piece, whole, op="avg")
    ...     return piece
    >>> print(cluster.run(step, cluster.world)[1])
    [0.5, 0.5]
    """
    return group.call("reduce_scatter_tensor", (input,), (output,), {"op": op}, async_op)


RULES = (ReduceScatter(),)
METHODS = (reduce_scatter_tensor,)

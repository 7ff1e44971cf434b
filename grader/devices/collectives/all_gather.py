"""All-gather: every rank passes a piece and receives all pieces, joined in rank order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ShapeError
from .base import Call, HostArray, Rule, check_contiguous, check_same_dtype

if TYPE_CHECKING:
    from ..array import DeviceArray
    from ..group import Group, Work


class AllGather(Rule):
    name = "all_gather_into_tensor"

    def check(self, call: Call, count: int) -> None:
        check_contiguous(call)
        check_same_dtype(call)
        piece, whole = call.arrays
        if whole.size != count * piece.size:
            raise ShapeError(
                f"all_gather_into_tensor on {count} ranks: the output needs {count} x {piece.size} elements "
                f"for an input of shape {piece.shape}; its shape {whole.shape} has {whole.size}"
            )

    def sent(self, call: Call, count: int, position: int) -> int:
        return (count - 1) * call.inputs[0].nbytes

    def execute(
        self, inputs: list[list[HostArray]], outputs: list[list[HostArray]], parameters: Mapping[str, Any]
    ) -> None:
        joined = np.concatenate([piece.reshape(-1) for (piece,) in inputs])
        for (whole,) in outputs:
            whole.reshape(-1)[...] = joined


def all_gather_into_tensor(
    group: Group, output: DeviceArray, input: DeviceArray, *, async_op: bool = False
) -> Work | None:
    """Fill ``output`` with the ``input`` of every rank, one after the other in rank order.

    ``input`` has n elements, the same shape and dtype on every rank; ``output`` has N x n, the same dtype.
    Each rank sends (N-1) x the bytes of ``input``, along a ring. Like
    ``torch.distributed.all_gather_into_tensor(output, input, group)``.

    Raises MismatchError where ranks disagree, ShapeError for an output of another size. With
    ``async_op=True`` returns a Work: call its ``wait()`` before you use ``output``.

    >>> from grader.devices import Cluster
    >>> cluster = Cluster(2)
    >>> def step(group):
    ...     piece = group.device.zeros(2) + group.rank
    ...     whole = group.device.empty(4)
    ...     group.all_gather_into_tensor(whole, piece)
    ...     return whole
    >>> print(cluster.run(step, cluster.world)[0])
    [0., 0., 1., 1.]
    """
    return group.call("all_gather_into_tensor", (input,), (output,), {}, async_op)


RULES = (AllGather(),)
METHODS = (all_gather_into_tensor,)

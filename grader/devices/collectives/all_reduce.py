"""All-reduce: every rank passes an array and has the reduction over all ranks in its place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .base import Call, HostArray, Rule, check_contiguous, check_op, check_reduction, reduce

if TYPE_CHECKING:
    from ..array import DeviceArray
    from ..group import Group, Work


class AllReduce(Rule):
    name = "all_reduce"

    def check_options(self, call: Call, count: int) -> None:
        check_op(call)

    def check(self, call: Call, count: int) -> None:
        check_contiguous(call)
        check_reduction(call)

    def sent(self, call: Call, count: int, position: int) -> int:
        # A reduce-scatter, then an all-gather, of pieces of one size.
        array = call.inputs[0]
        return 2 * (count - 1) * -(-array.size // count) * array.dtype.itemsize

    def steps(self, count: int) -> int:
        return 2 * (count - 1)

    def execute(
        self, inputs: list[list[HostArray]], outputs: list[list[HostArray]], parameters: Mapping[str, Any]
    ) -> None:
        total = reduce([arrays[0] for arrays in inputs], parameters["op"])
        for (array,) in outputs:
            array[...] = total


def all_reduce(group: Group, x: DeviceArray, op: str = "sum", *, async_op: bool = False) -> Work | None:
    """Replace ``x`` on every rank by its reduction over the ranks.

    ``x`` has the same shape and dtype on every rank; ``op`` is "sum", "avg", "max" or "min". By the ring algorithm each
    rank sends 2(N-1)/N of its bytes (pieces of one size, so a size that does not divide costs a little more). Like
    ``torch.distributed.all_reduce(x, op, group)``.

    Raises MismatchError where ranks disagree, also on ``op``. With ``async_op=True`` returns a Work: call its
    ``wait()`` before you use ``x``.

    >>> from grader.devices import Cluster
    >>> cluster = Cluster(4)
    >>> def step(group):
    ...     x = group.device.zeros(2) + group.rank
    ...     group.all_reduce(x, op="max")
    ...     return x
    >>> print(cluster.run(step, cluster.world)[0])
    [3., 3.]
    """
    return group.call("all_reduce", (x,), (x,), {"op": op}, async_op)


RULES = (AllReduce(),)
METHODS = (all_reduce,)

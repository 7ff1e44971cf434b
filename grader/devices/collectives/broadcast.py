"""Broadcast: one rank's array overwrites that of every other rank."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .base import Call, HostArray, Rule, check_contiguous, position_of

if TYPE_CHECKING:
    from ..array import DeviceArray
    from ..group import Group, Work


class Broadcast(Rule):
    name = "broadcast"

    def check_options(self, call: Call, count: int) -> None:
        position_of(call, "src", count)

    def check(self, call: Call, count: int) -> None:
        check_contiguous(call)

    def sent(self, call: Call, count: int, position: int) -> int:
        # Along the ring from the source; the last rank has nobody left to pass it on to.
        last = (position - call.parameters["src"]) % count == count - 1
        return 0 if last else call.inputs[0].nbytes

    def carried(self, call: Call, count: int) -> int:
        return self.sent(call, count, call.parameters["src"])

    def execute(
        self, inputs: list[list[HostArray]], outputs: list[list[HostArray]], parameters: Mapping[str, Any]
    ) -> None:
        source = inputs[parameters["src"]][0].copy()
        for (array,) in outputs:
            array[...] = source


def broadcast(group: Group, x: DeviceArray, src: int, *, async_op: bool = False) -> Work | None:
    """Replace ``x`` on every rank by that of rank ``src`` of the group.

    ``x`` has the same shape and dtype on every rank. Every rank but the last of the ring sends its bytes once. Like
    ``torch.distributed.broadcast(x, src, group)``, but ``src`` is a rank of the group.

    Raises MismatchError where ranks disagree, also on ``src``, and GroupError if the group has no such rank.

    >>> from grader.devices import Cluster
    >>> cluster = Cluster(3)
    >>> def step(group):
    ...     x = group.device.zeros(1) + group.rank
    ...     group.broadcast(x, src=2)
    ...     return x
    >>> print(cluster.run(step, cluster.world)[0])
    [2.]
    """
    return group.call("broadcast", (x,), (x,), {"src": src}, async_op)


RULES = (Broadcast(),)
METHODS = (broadcast,)

"""Send and receive: one rank's array to one other rank."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..errors import GroupError
from .base import Call, HostArray, Rule, check_contiguous, position_of, signature_of

if TYPE_CHECKING:
    from ..array import DeviceArray
    from ..group import Group, Work


class _Transfer(Rule):
    """The two ends meet: a send waits for its receive."""

    def ends(self, members: tuple[int, ...], call: Call) -> tuple[int, int]:
        raise NotImplementedError

    def peer(self, members: tuple[int, ...], call: Call, name: str) -> int:
        rank = members[position_of(call, name, len(members))]
        if rank == call.rank:
            raise GroupError(f"{call.name} with {name}={call.parameters[name]}: a rank sends nothing to itself")
        return rank

    def ranks(self, members: tuple[int, ...], call: Call) -> tuple[int, ...]:
        return self.ends(members, call)

    def channel(self, members: tuple[int, ...], call: Call) -> tuple[Any, ...]:
        return (call.group, *self.ends(members, call))

    def signature(self, call: Call) -> tuple[tuple[str, object], ...]:
        return signature_of(call.arrays)

    def check(self, call: Call, count: int) -> None:
        check_contiguous(call)

    def sent(self, call: Call, count: int, position: int) -> int:
        return sum(array.nbytes for array in call.inputs)

    def steps(self, count: int) -> int:
        return 1

    def carried(self, call: Call, count: int) -> int:
        return call.arrays[0].nbytes

    def execute(
        self, inputs: list[list[HostArray]], outputs: list[list[HostArray]], parameters: Mapping[str, Any]
    ) -> None:
        outputs[1][0][...] = inputs[0][0]


class Send(_Transfer):
    name = "send"

    def ends(self, members: tuple[int, ...], call: Call) -> tuple[int, int]:
        return call.rank, self.peer(members, call, "dst")


class Receive(_Transfer):
    name = "recv"

    def ends(self, members: tuple[int, ...], call: Call) -> tuple[int, int]:
        return self.peer(members, call, "src"), call.rank


def send(group: Group, x: DeviceArray, dst: int, *, async_op: bool = False) -> Work | None:
    """Send ``x`` to rank ``dst`` of the group, which must call ``recv``. Waits until it does.

    Sends the bytes of ``x``. Like ``torch.distributed.send(x, dst, group)``, but ``dst`` is a rank of the group.
    Raises MismatchError if the other end has another shape or dtype.

    >>> from grader.devices import Cluster
    >>> cluster = Cluster(2)
    >>> def step(group):
    ...     x = group.device.zeros(2) + group.rank
    ...     if group.rank == 1:
    ...         group.send(x, dst=0)
    ...     else:
    ...         group.recv(x, src=1)
    ...     return x
    >>> print(cluster.run(step, cluster.world)[0])
    [1., 1.]
    """
    return group.call("send", (x,), (), {"dst": dst}, async_op)


def recv(group: Group, x: DeviceArray, src: int, *, async_op: bool = False) -> Work | None:
    """Overwrite ``x`` by what rank ``src`` of the group sends; shape and dtype must be the same.

    Like ``torch.distributed.recv(x, src, group)``; see ``send`` for an example.
    """
    return group.call("recv", (), (x,), {"src": src}, async_op)


RULES = (Send(), Receive())
METHODS = (send, recv)

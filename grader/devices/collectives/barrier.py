"""Barrier and split: collectives that move no data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .base import Call, HostArray, Rule

if TYPE_CHECKING:
    from ..group import Group, Work


class Barrier(Rule):
    name = "barrier"

    def sent(self, call: Call, count: int, position: int) -> int:
        return 0

    def execute(
        self, inputs: list[list[HostArray]], outputs: list[list[HostArray]], parameters: Mapping[str, Any]
    ) -> None:
        pass


class Split(Barrier):
    name = "split"

    def signature(self, call: Call) -> tuple[tuple[str, object], ...]:
        return (("operation", call.name),)

    def groups(self, calls: Sequence[Call]) -> Mapping[int, tuple[int, ...]]:
        members: dict[int, list[int]] = {}
        for call in calls:
            members.setdefault(call.parameters["color"], []).append(call.rank)
        return {call.rank: tuple(members[call.parameters["color"]]) for call in calls}


def barrier(group: Group, *, async_op: bool = False) -> Work | None:
    """Wait until every rank of the group has called it. Sends no data.

    >>> from grader.devices import Cluster
    >>> cluster = Cluster(2)
    >>> cluster.run(lambda group: group.barrier(), cluster.world)
    [None, None]
    """
    return group.call("barrier", (), (), {}, async_op)


RULES = (Barrier(), Split())
METHODS = (barrier,)

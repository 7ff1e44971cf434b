"""Barrier and split: collectives that move no data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import GroupError
from .base import Call, HostArray, Rule

if TYPE_CHECKING:
    from ..group import Group, Work


class Barrier(Rule):
    name = "barrier"

    def sent(self, call: Call, count: int, position: int) -> int:
        return 0

    def steps(self, count: int) -> int:
        return 2 * (count - 1)  # an all-reduce of nothing

    def execute(
        self, inputs: list[list[HostArray]], outputs: list[list[HostArray]], parameters: Mapping[str, Any]
    ) -> None:
        pass


class Split(Barrier):
    name = "split"

    def steps(self, count: int) -> int:
        return 0  # the hosts agree on it

    def signature(self, call: Call) -> tuple[tuple[str, object], ...]:
        return (("operation", call.name), ("colors", call.parameters.get("colors")))

    def check(self, call: Call, count: int) -> None:
        colors = call.parameters.get("colors")
        if colors is not None and len(colors) != count:
            raise GroupError(f"split has {len(colors)} colors for a group of {count} ranks")

    def groups(self, members: tuple[int, ...], calls: Sequence[Call]) -> Mapping[int, tuple[int, ...]]:
        colors = calls[0].parameters.get("colors")
        if colors is None:
            if len(calls) < len(members):
                raise GroupError(
                    f"split(color) on a group of {len(members)} ranks, of which {len(calls)} run: nobody says "
                    "the colors of the others; give a function of the rank in the group: split(lambda rank: rank // 8)"
                )
            colors = [call.parameters["color"] for call in calls]
        parts: dict[int, list[int]] = {}
        color_of = dict(zip(members, colors, strict=True))
        for rank, color in color_of.items():
            parts.setdefault(color, []).append(rank)
        return {call.rank: tuple(parts[color_of[call.rank]]) for call in calls}


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

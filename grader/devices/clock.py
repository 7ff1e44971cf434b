"""The time that a cluster of given hardware would take: two streams a device, computation and communication.

The program itself takes no time, nor do host copies. An operation begins when the one before it on its device is over.
A collective begins when every rank has called it and is free to communicate; the ranks run through it together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from .errors import Where
from .ledger import COMMUNICATION, COMPUTE, WAITING, Event, Span

if TYPE_CHECKING:
    from .collectives import Call, Rule
    from .hardware import Hardware


class Clock:
    """How far the two streams of each rank have come, in seconds; what they do goes to ``record``."""

    def __init__(self, hardware: Hardware, ranks: Iterable[int], record: Callable[[Event], None]) -> None:
        self._hardware = hardware
        self._record = record
        self._compute = dict.fromkeys(ranks, 0.0)
        self._communication = dict(self._compute)
        # By channel: a ring is looked at once, however many ranks it has.
        self._rings: dict[tuple[object, ...], tuple[float, float]] = {}

    def compute(self, rank: int, name: str, flops: int, nbytes: int, where: Where | None) -> None:
        """An operation that reads and writes ``nbytes`` in all."""
        start = self._compute[rank]
        end = self._compute[rank] = start + self._hardware.compute_seconds(flops, nbytes)
        self._record(Span(rank, COMPUTE, name, start, end, where))

    def issue(self, call: Call) -> None:
        """A rank calls a collective, which needs what was computed so far."""
        call.issued = self._compute[call.rank]

    def complete(self, rule: Rule, ranks: Sequence[int], count: int, calls: Sequence[Call]) -> None:
        """All have called it: ``ranks`` of a group of ``count`` take part, and ``calls`` are those of the live ones."""
        first = calls[0]
        ring = self._rings.get(first.channel)
        if ring is None:
            ring = self._rings[first.channel] = self._hardware.ring(ranks)
        latency, bandwidth = ring
        start = max(max(call.issued, self._communication[call.rank]) for call in calls)
        end = start + rule.steps(count) * latency + rule.carried(first, count) / bandwidth
        for call in calls:
            call.over = self._communication[call.rank] = end
            self._record(Span(call.rank, COMMUNICATION, call.name, start, end, call.where))
            if not call.asynchronous:
                self.wait(call, call.where)

    def wait(self, call: Call, where: Where | None) -> None:
        """The rank computes on when the collective is over."""
        start = self._compute[call.rank]
        if call.over > start:
            self._compute[call.rank] = call.over
            self._record(Span(call.rank, WAITING, call.name, start, call.over, where))

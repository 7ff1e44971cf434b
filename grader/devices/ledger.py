"""The ledger: every allocation, release, host copy and collective of a cluster, in order, in bytes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from .errors import Where


class Allocation(NamedTuple):
    """``bytes`` were allocated on ``rank`` as storage number ``storage`` by ``operation``."""

    rank: int
    storage: int
    bytes: int
    operation: str
    where: Where | None = None


class Release(NamedTuple):
    """Storage number ``storage`` was given back: by ``free()``, or because nothing held it any more."""

    rank: int
    storage: int
    bytes: int
    freed: bool
    where: Where | None = None


class HostCopy(NamedTuple):
    """``bytes`` were copied between host and device; ``to_host`` says which way."""

    rank: int
    bytes: int
    to_host: bool
    operation: str
    where: Where | None = None


class Share(NamedTuple):
    """One rank's part in a collective: what it passed and the bytes that it sent by the ring algorithm."""

    rank: int
    sent: int
    shape: tuple[int, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    where: Where | None = None


class Collective(NamedTuple):
    """One collective or transfer that all its ranks took part in; ``shares`` are in rank order."""

    operation: str
    group: int
    dtype: str
    options: str
    asynchronous: bool
    shares: tuple[Share, ...]

    def share(self, rank: int) -> Share | None:
        """The part of ``rank``, if it took part."""
        place = bisect_left(self.shares, rank, key=lambda share: share.rank)
        found = self.shares[place : place + 1]
        return found[0] if found and found[0].rank == rank else None


Event = Allocation | Release | HostCopy | Collective


@dataclass(slots=True)
class Ledger:
    """What a cluster did, as a list of events and the questions that are asked of it.

    >>> from grader.devices import Cluster
    >>> cluster = Cluster(2)
    >>> def step(group):
    ...     piece = group.device.zeros(3)
    ...     whole = group.device.empty(6)
    ...     group.all_gather_into_tensor(whole, piece)
    >>> _ = cluster.run(step, cluster.world)
    >>> cluster.ledger.bytes_sent(0)            # (N-1)/N of 6 elements of 4 bytes
    12
    >>> [event.operation for event in cluster.ledger.collectives()]
    ['all_gather_into_tensor']
    """

    events: list[Event] = field(default_factory=list)

    def since(self, mark: int) -> Ledger:
        """The part of the ledger from event number ``mark`` on, where ``mark = len(ledger.events)`` earlier."""
        return Ledger(self.events[mark:])

    def collectives(self, operation: str | None = None) -> tuple[Collective, ...]:
        """The collectives in order, or those of one operation."""
        return tuple(
            event for event in self.events if isinstance(event, Collective) and operation in (None, event.operation)
        )

    def host_copies(self) -> tuple[HostCopy, ...]:
        """Every copy between host and device, in order."""
        return tuple(event for event in self.events if isinstance(event, HostCopy))

    def bytes_sent(self, rank: int, operation: str | None = None) -> int:
        """Bytes that ``rank`` sent in all collectives, or in those of one operation."""
        shares = (event.share(rank) for event in self.collectives(operation))
        return sum(share.sent for share in shares if share is not None)

    def live(self, rank: int) -> tuple[Allocation, ...]:
        """What was allocated on ``rank`` and not released, oldest first: who still holds memory."""
        alive: dict[int, Allocation] = {}
        for event in self.events:
            if isinstance(event, Allocation) and event.rank == rank:
                alive[event.storage] = event
            elif isinstance(event, Release):
                alive.pop(event.storage, None)
        return tuple(alive.values())

    def timeline(self, rank: int, start: int = 0) -> Iterator[tuple[int, Allocation | Release]]:
        """Bytes on ``rank`` after each allocation and release, from ``start`` bytes, with the event."""
        total = start
        for event in self.events:
            if isinstance(event, (Allocation, Release)) and event.rank == rank:
                total += event.bytes if isinstance(event, Allocation) else -event.bytes
                yield total, event

    def peak(self, rank: int, start: int = 0) -> int:
        """The most bytes on ``rank`` at any moment, the first included, at which there were ``start`` bytes."""
        return max(start, max((total for total, _ in self.timeline(rank, start)), default=start))

    def dump(self) -> str:
        """The event log as text, a line per event; two runs of one program give the same text."""
        return "\n".join(repr(event) for event in self.events)

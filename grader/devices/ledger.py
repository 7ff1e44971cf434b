"""The ledger: every allocation, release, host copy and collective of a cluster, in order, in bytes and in seconds."""

from __future__ import annotations

import math
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


COMPUTE, COMMUNICATION, WAITING = "compute", "communication", "waiting"
STREAMS = (COMPUTE, COMMUNICATION)


class Span(NamedTuple):
    """What one stream of ``rank`` did from ``start`` to ``end``, in seconds; only a cluster with hardware has these.

    ``stream`` is COMPUTE, COMMUNICATION, or WAITING where computation stands still until a collective is over.
    """

    rank: int
    stream: str
    operation: str
    start: float
    end: float
    where: Where | None = None


Event = Allocation | Release | HostCopy | Collective | Span


class Unkept(list[Event]):
    """Stands for the events of a cluster where nobody will ask for them."""

    def append(self, event: Event) -> None:
        """Forget ``event``."""


@dataclass(frozen=True, slots=True)
class Time:
    """How one rank spent its time, in seconds: in all, computing, communicating, waiting for communication."""

    seconds: float
    computing: float
    communicating: float
    waiting: float

    @property
    def communication_share(self) -> float:
        """The part of the time in which the rank communicates, whether or not it computes meanwhile."""
        return self.communicating / self.seconds if self.seconds else 0.0

    @property
    def waiting_share(self) -> float:
        """The part of the time that communication adds: what overlap has not hidden."""
        return self.waiting / self.seconds if self.seconds else 0.0


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

    def seconds(self, rank: int) -> tuple[float, ...]:
        """When each event of ``timeline(rank)`` came: as far as the rank had computed. Empty where there is no clock.

        >>> from grader.devices import Cluster
        >>> from grader.devices.hardware import A100, Hardware
        >>> cluster = Cluster(1, hardware=Hardware(A100), materialize=False, capacity=None, flops=None)
        >>> x = cluster.devices[0].zeros(2039 * 10**9, "float16")       # written in 2 s
        >>> y = cluster.devices[0].empty(8)
        >>> cluster.ledger.seconds(0)
        (0.0, 2.0)
        """
        if not any(isinstance(event, Span) for event in self.events):
            return ()
        now = min((span.start for span in self.spans(rank)), default=0.0)
        found = []
        for event in self.events:
            if isinstance(event, Span) and event.rank == rank and event.stream != COMMUNICATION:
                now = event.end
            elif isinstance(event, (Allocation, Release)) and event.rank == rank:
                found.append(now)
        return tuple(found)

    def peak(self, rank: int, start: int = 0) -> int:
        """The most bytes on ``rank`` at any moment, the first included, at which there were ``start`` bytes."""
        return max(start, max((total for total, _ in self.timeline(rank, start)), default=start))

    def spans(self, rank: int, stream: str | None = None) -> tuple[Span, ...]:
        """What ``rank`` did when, on both streams or on one."""
        return tuple(
            event
            for event in self.events
            if isinstance(event, Span) and event.rank == rank and stream in (None, event.stream)
        )

    def time(self, rank: int) -> Time:
        """How ``rank`` spent its time, on a cluster with hardware.

        >>> from grader.devices import Cluster
        >>> from grader.devices.hardware import A100, Hardware
        >>> cluster = Cluster(2, hardware=Hardware(A100), materialize=False, capacity=A100.memory, flops=None)
        >>> def step(group):
        ...     x = group.device.empty((2 * 10**9,), "float16")
        ...     work = group.all_reduce(x, async_op=True)      # 2 x (1/2 of 4 GB at 300 GB/s + 3.4 us)
        ...     group.device.empty(10**9) + 1                  # reads 4 GB and writes 4 GB at 2,039 GB/s
        ...     work.wait()
        >>> _ = cluster.run(step, cluster.world)
        >>> time = cluster.ledger.time(0)
        >>> [round(each, 6) for each in (time.seconds, time.computing, time.communicating, time.waiting)]
        [0.01334, 0.003923, 0.01334, 0.009417]
        >>> round(time.communication_share, 3), round(time.waiting_share, 3)
        (1.0, 0.706)
        """
        spans = self.spans(rank)
        computing, communicating, waiting = (
            math.fsum(span.end - span.start for span in spans if span.stream == stream)
            for stream in (COMPUTE, COMMUNICATION, WAITING)
        )
        first = min((span.start for span in spans), default=0.0)
        return Time(max((span.end for span in spans), default=0.0) - first, computing, communicating, waiting)

    def dump(self) -> str:
        """The event log as text, a line per event; two runs of one program give the same text."""
        return "\n".join(repr(event) for event in self.events)

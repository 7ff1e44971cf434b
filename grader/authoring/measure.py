"""What a run did to memory and traffic, ready to be judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from grader.devices import Cluster, Ledger
from grader.devices.ledger import STREAMS, Allocation, Release
from grader.results import Held, Memory, Span, Timeline

from .trouble import place_of

AT_REST, GATHERED, GRADIENTS, PIECES, OTHERS = CATEGORIES = (
    "at rest",
    "gathered weights",
    "gradients",
    "gradient pieces",
    "activations, temporaries",
)


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a function on a cluster: results by rank, its part of the ledger, and bytes by rank."""

    results: list[Any]
    ledger: Ledger
    before: tuple[int, ...]
    after: tuple[int, ...]
    peak: tuple[int, ...]
    ranks: tuple[int, ...] = ()

    def before_on(self, rank: int) -> int:
        """The bytes on a rank before the run."""
        return self.before[self.ranks.index(rank) if self.ranks else rank]

    @property
    def peak_above_rest(self) -> tuple[int, ...]:
        """By rank, the most bytes at any moment over those before the run."""
        return tuple(peak - rest for peak, rest in zip(self.peak, self.before, strict=True))

    def timeline(self, rank: int, bound: int | None = None) -> Timeline:
        """Bytes on ``rank`` after each allocation and release, by category and with the learner's line."""
        steps = list(self.ledger.timeline(rank, self.before_on(rank)))
        events = [event for _, event in steps]
        spans = self.ledger.spans(rank)
        first = min((span.start for span in spans), default=0.0)
        return Timeline(
            rank,
            tuple(total for total, _ in steps),
            tuple(event.operation if isinstance(event, Allocation) else "release" for event in events),
            bound,
            parts=self._parts(rank, events),
            places=tuple(place_of(event.where) for event in events),
            seconds=tuple(second - first for second in self.ledger.seconds(rank)),
            spans=tuple(
                Span(span.stream, span.operation, span.start - first, span.end - first, place_of(span.where))
                for span in spans
                if span.stream in STREAMS
            ),
        )

    def _parts(self, rank: int, events: list[Allocation | Release]) -> tuple[tuple[str, tuple[int, ...]], ...]:
        categories = _categories(self.ledger, rank)
        now = dict.fromkeys(CATEGORIES, 0) | {AT_REST: self.before_on(rank)}
        after: dict[str, list[int]] = {name: [] for name in CATEGORIES}
        for event in events:
            category = categories.get(event.storage, AT_REST)
            now[category] += event.bytes if isinstance(event, Allocation) else -event.bytes
            for name, counts in after.items():
                counts.append(now[name])
        return tuple((name, tuple(counts)) for name, counts in after.items())


def _categories(ledger: Ledger, rank: int) -> dict[int, str]:
    """By storage that was allocated on ``rank``, what it is: seen by the collectives that it was passed to."""
    allocated = {event.storage for event in ledger.events if isinstance(event, Allocation) and event.rank == rank}
    found = dict.fromkeys(allocated, OTHERS)
    # The later one holds: a piece that was reduced within a node and then across nodes stays a piece.
    for operation, inputs, outputs in (
        ("all_reduce", GRADIENTS, None),
        ("reduce_scatter_tensor", GRADIENTS, PIECES),
        ("all_gather_into_tensor", None, GATHERED),
    ):
        for share in filter(None, (each.share(rank) for each in ledger.collectives(operation))):
            for category, storages in ((inputs, share.inputs), (outputs, share.outputs)):
                if category is not None:
                    found |= dict.fromkeys(allocated.intersection(storages), category)
    return found


def measured(cluster: Cluster, function: Any, *args: Any, **kwargs: Any) -> Run:
    """Run ``function`` on ``cluster`` as ``cluster.run`` does, and measure it.

    >>> def step(group):
    ...     return group.device.zeros(4)
    >>> cluster = Cluster(2)
    >>> run = measured(cluster, step, cluster.world)
    >>> run.before, run.after, run.peak
    ((0, 0), (16, 16), (16, 16))
    """
    for device in cluster.devices:
        device.reset_peak_memory_stats()
    before = tuple(device.memory_allocated() for device in cluster.devices)
    mark = len(cluster.ledger.events)
    results = cluster.run(function, *args, **kwargs)
    after = tuple(device.memory_allocated() for device in cluster.devices)
    peak = tuple(device.max_memory_allocated() for device in cluster.devices)
    return Run(results, cluster.ledger.since(mark), before, after, peak, cluster.ranks)


def held(allocations: tuple[Allocation, ...]) -> tuple[Held, ...]:
    """Who still holds memory: bytes and the line that allocated them."""
    return tuple(Held(each.bytes, place_of(each.where)) for each in allocations)


def memory(points: list[tuple[str, int]], bound: int | None = None, still_held: tuple[Held, ...] = ()) -> Memory:
    """Bytes at named moments, against the bound that they were held to."""
    return Memory(tuple(points), bound, still_held)

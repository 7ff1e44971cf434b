"""A ledger as a trace that Perfetto and chrome://tracing open: devices, their two streams, and their memory."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from .ledger import (
    COMMUNICATION,
    COMPUTE,
    STREAMS,
    WAITING,
    Allocation,
    Collective,
    Event,
    HostCopy,
    Ledger,
    Release,
    Span,
)

THREADS = {COMPUTE: 0, COMMUNICATION: 1, WAITING: 0}
Entry = dict[str, Any]


def chrome_trace(ledger: Ledger, before: Mapping[int, int] | None = None) -> str:
    """The ledger in Chrome's trace format, as JSON: a process is a device, a thread a stream, a counter its memory.

    Times are those of the clock. Without hardware there is none: then an event follows the other, a microsecond each.
    ``before`` is the bytes that each rank held when a ledger began that is a part of one.

    >>> from grader.devices import Cluster
    >>> cluster = Cluster(1)
    >>> x = cluster.devices[0].zeros(2)
    >>> [entry["name"] for entry in json.loads(chrome_trace(cluster.ledger))["traceEvents"]]
    ['process_name', 'thread_name', 'thread_name', 'memory', 'zeros']
    """
    held = dict(before or {})
    if any(isinstance(event, Span) for event in ledger.events):
        ranks = sorted({event.rank for event in ledger.events if not isinstance(event, Collective)})
        entries = [entry for rank in ranks for entry in _by_clock(ledger, rank, held.get(rank, 0))]
    else:
        entries = list(_by_order(ledger.events, held))
    named = [name for rank in sorted({entry["pid"] for entry in entries}) for name in _names(rank)]
    return json.dumps({"traceEvents": named + entries, "displayTimeUnit": "ms"})


def _names(rank: int) -> Iterator[Entry]:
    yield {"ph": "M", "name": "process_name", "pid": rank, "tid": 0, "args": {"name": f"device {rank}"}}
    for stream in STREAMS:
        yield {"ph": "M", "name": "thread_name", "pid": rank, "tid": THREADS[stream], "args": {"name": stream}}


def _by_clock(ledger: Ledger, rank: int, before: int) -> Iterator[Entry]:
    # Every collective that a rank takes part in is one stretch of its communication, in the same order.
    sent = (share.sent for share in (each.share(rank) for each in ledger.collectives()) if share is not None)
    for span in ledger.spans(rank):
        more = {"bytes sent": next(sent)} if span.stream == COMMUNICATION else {}
        yield _slice(span, span.start * 1e6, span.end * 1e6, more)
    for second, (total, _) in zip(ledger.seconds(rank), ledger.timeline(rank, before), strict=True):
        yield _memory(rank, second * 1e6, total)


def _by_order(events: list[Event], memory: dict[int, int]) -> Iterator[Entry]:
    for time, event in enumerate(events):
        if isinstance(event, Collective):
            for share in event.shares:
                span = Span(share.rank, COMMUNICATION, event.operation, 0, 0, share.where)
                yield _slice(span, time, time + 1, {"bytes sent": share.sent})
            continue
        if isinstance(event, (Allocation, Release)):
            change = event.bytes if isinstance(event, Allocation) else -event.bytes
            memory[event.rank] = memory.get(event.rank, 0) + change
            yield _memory(event.rank, time, memory[event.rank])
        if isinstance(event, (Allocation, HostCopy)):
            yield _slice(Span(event.rank, COMPUTE, event.operation, 0, 0, event.where), time, time + 1, {})


def _slice(span: Span, start: float, end: float, more: Entry) -> Entry:
    """A stretch of one thread, from ``start`` to ``end`` in microseconds, to the nanosecond."""
    begin = round(start, 3)
    where = {} if span.where is None else {"line": str(span.where)}
    waits = span.stream == WAITING
    return {
        "ph": "X",
        "name": f"wait for {span.operation}" if waits else span.operation,
        "cat": span.stream,
        "pid": span.rank,
        "tid": THREADS[span.stream],
        "ts": begin,
        "dur": round(round(end, 3) - begin, 3),
        "args": {**more, **where},
    }


def _memory(rank: int, time: float, total: int) -> Entry:
    return {"ph": "C", "name": "memory", "pid": rank, "tid": 0, "ts": round(time, 3), "args": {"bytes": total}}

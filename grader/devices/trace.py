"""A ledger as a trace that Perfetto and chrome://tracing open: devices, their two streams, and their memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
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


def chrome_trace(ledger: Ledger) -> str:
    """The ledger in Chrome's trace format, as JSON: a process is a device, a thread a stream, a counter its memory.

    Times are those of the clock. Without hardware there is none: then an event follows the other, a microsecond each.

    >>> from grader.devices import Cluster
    >>> cluster = Cluster(1)
    >>> x = cluster.devices[0].zeros(2)
    >>> [entry["name"] for entry in json.loads(chrome_trace(cluster.ledger))["traceEvents"]]
    ['process_name', 'thread_name', 'thread_name', 'memory', 'zeros']
    """
    timed = any(isinstance(event, Span) for event in ledger.events)
    entries = list(_by_clock(ledger.events) if timed else _by_order(ledger.events))
    named = [name for rank in sorted({entry["pid"] for entry in entries}) for name in _names(rank)]
    return json.dumps({"traceEvents": named + entries, "displayTimeUnit": "ms"})


def _names(rank: int) -> Iterator[Entry]:
    yield {"ph": "M", "name": "process_name", "pid": rank, "tid": 0, "args": {"name": f"device {rank}"}}
    for stream in STREAMS:
        yield {"ph": "M", "name": "thread_name", "pid": rank, "tid": THREADS[stream], "args": {"name": stream}}


def _by_clock(events: list[Event]) -> Iterator[Entry]:
    now: dict[int, float] = {}
    memory: dict[int, int] = {}
    sent: dict[int, int] = {}
    for event in events:
        if isinstance(event, Span):
            carries = event.stream == COMMUNICATION
            yield _slice(event, event.start * 1e6, event.end * 1e6, {"bytes sent": sent[event.rank]} if carries else {})
            if not carries:
                now[event.rank] = event.end
        elif isinstance(event, Collective):
            sent.update((share.rank, share.sent) for share in event.shares)
        elif isinstance(event, (Allocation, Release)):
            yield _memory(event, now.get(event.rank, 0.0) * 1e6, memory)


def _by_order(events: list[Event]) -> Iterator[Entry]:
    memory: dict[int, int] = {}
    for time, event in enumerate(events):
        if isinstance(event, Collective):
            for share in event.shares:
                span = Span(share.rank, COMMUNICATION, event.operation, 0, 0, share.where)
                yield _slice(span, time, time + 1, {"bytes sent": share.sent})
            continue
        if isinstance(event, (Allocation, Release)):
            yield _memory(event, time, memory)
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


def _memory(event: Allocation | Release, time: float, memory: dict[int, int]) -> Entry:
    change = event.bytes if isinstance(event, Allocation) else -event.bytes
    total = memory[event.rank] = memory.get(event.rank, 0) + change
    return {"ph": "C", "name": "memory", "pid": event.rank, "tid": 0, "ts": round(time, 3), "args": {"bytes": total}}

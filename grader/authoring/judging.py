"""What suites compare, and the words in which they say how it failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from grader.devices import DeviceArray, Ledger
from grader.devices.ledger import Allocation, Collective, Release
from grader.results import Difference, Held, Place

from .criteria import Failed
from .measure import Run, held, memory
from .trouble import place_of

Host: TypeAlias = npt.NDArray[Any]
Key = TypeVar("Key")
Result = TypeVar("Result")
SHOWN = 4


# Values


class Layer(Protocol):
    """A linear layer without bias, whose weight of shape (out, in) is found by name."""

    @property
    def name(self) -> str: ...
    @property
    def trainable(self) -> bool: ...


def gradients(
    layers: Sequence[Layer], weights: Mapping[str, Host], batches: Sequence[tuple[Host, Host]]
) -> dict[str, Host]:
    """By name, the sum over batches of the gradient of 1/2 * sum((outputs - targets)^2) / rows of each.

    >>> from types import SimpleNamespace
    >>> layer = SimpleNamespace(name="a", trainable=True)
    >>> gradients([layer], {"a": np.array([[2.0]])}, [(np.array([[1.0]]), np.array([[0.5]]))])
    {'a': array([[1.5]])}
    """
    found: dict[str, Host] = {}
    for inputs, targets in batches:
        kept, flow = [], inputs
        for layer in layers:
            kept.append(flow)
            flow = flow @ weights[layer.name].T
        flow = (flow - targets) / len(inputs)
        for layer in reversed(layers):
            given = kept.pop()
            if layer.trainable:
                found[layer.name] = found.get(layer.name, 0) + flow.T @ given
            flow = flow @ weights[layer.name]
    return found


class Once(Generic[Key, Result]):
    """Calls a function once for each argument, when it is first asked, and remembers what came of it, an error too.

    >>> length = Once(len)
    >>> length("abc"), length("abc")
    (3, 3)
    """

    def __init__(self, function: Callable[[Key], Result]) -> None:
        self._function = function
        self._known: dict[Key, Result | Exception] = {}

    def __call__(self, key: Key) -> Result:
        if key not in self._known:
            try:
                self._known[key] = self._function(key)
            except Exception as error:
                self._known[key] = error
        found = self._known[key]
        if isinstance(found, Exception):
            raise found
        return found


def difference(expected: Host, actual: Host, rtol: float = 0.0) -> Difference | None:
    """The first element that differs, of two arrays of one shape. NaN differs from all but NaN.

    ``rtol`` is relative to the largest expected element.

    >>> difference(np.array([1.0, 2.0]), np.array([1.0, 3.0]))
    Difference(index=(1,), expected='2', actual='3', count=1, total=2)
    """
    if not expected.size:
        return None
    if rtol:
        with np.errstate(all="ignore"):
            wrong = ~(np.abs(actual - expected) <= rtol * np.max(np.abs(expected)))
    else:
        wrong = (actual != expected) & ~((actual != actual) & (expected != expected))
    if not wrong.any():
        return None
    index = tuple(int(each) for each in np.argwhere(wrong)[0])
    return Difference(index, number(expected[index]), number(actual[index]), int(wrong.sum()), wrong.size)


def number(value: Any) -> str:
    """A number as text, short.

    >>> number(np.float64(2.5)), number(np.int32(7)), number(np.True_)
    ('2.5', '7', 'True')
    """
    return f"{value:.10g}" if isinstance(value, np.floating) else str(value)


def expect_unchanged(name: str, what: str, array: DeviceArray, host: Host, **told: Any) -> None:
    """An array of the caller's must be as it was."""
    told["expected"] = f"{what} as it was"
    if array.is_freed:
        raise Failed(f"{name} frees {what}.", actual="its storage was given back", **told)
    different = difference(host, array.numpy())
    if different is not None:
        changed = f"{different.count} of {different.total} elements changed"
        raise Failed(f"{name} writes into {what}.", actual=changed, detail=different, **told)


# Memory


def allocated_at(ledger: Ledger, array: DeviceArray) -> Place | None:
    """The line that allocated the storage of an array, if it was in this part of the ledger."""
    for event in ledger.events:
        if isinstance(event, Allocation) and event.storage == array.storage.number:
            return place_of(event.where)
    return None


def by_line(allocations: Sequence[Allocation]) -> tuple[Held, ...]:
    """Who holds memory: bytes by the line that allocated them, the most first."""
    lines = Counter[Any]()
    for each in allocations:
        lines[each.where] += each.bytes
    return tuple(Held(count, place_of(where)) for where, count in lines.most_common(SHOWN))


def alive_at_peak(run: Run, rank: int) -> tuple[Allocation, ...]:
    """What the run had allocated on a rank when that was most."""
    alive: dict[int, Allocation] = {}
    most: tuple[Allocation, ...] = ()
    peak = -1
    for total, event in run.ledger.timeline(rank, run.before[rank]):
        if isinstance(event, Release):
            alive.pop(event.storage, None)
            continue
        alive[event.storage] = event
        if total > peak:
            peak, most = total, tuple(alive.values())
    return most


def expect_nothing_left(name: str, run: Run, rank: int, results: Sequence[DeviceArray], call: str) -> None:
    """Besides its results a run must leave nothing allocated."""
    numbers = {array.storage.number for array in results}
    left = tuple(event for event in run.ledger.live(rank) if event.bytes and event.storage not in numbers)
    if left:
        bound = run.before[rank] + sum(array.storage.nbytes for array in results)
        points = [(f"before {name}", run.before[rank]), (f"after {name}", run.after[rank])]
        raise Failed(
            f"{name} leaves more allocated than what it returned.",
            call=call,
            world_size=len(run.before),
            rank=rank,
            expected=f"{bound:,} bytes on the device",
            actual=f"{run.after[rank]:,} bytes",
            detail=memory(points, bound, held(left)),
            where=place_of(left[0].where),
        )


def expect_no_host_copies(run: Run, name: str, call: str) -> None:
    """Values must not leave the devices, nor come from the host."""
    copies = run.ledger.host_copies()
    if copies:
        first = copies[0]
        way = "from a device to the host" if first.to_host else "from the host to a device"
        raise Failed(
            f"{name} copies values between host and device.",
            call=call,
            world_size=len(run.before),
            rank=first.rank,
            expected="no copy between host and device",
            actual=f"{counted(len(copies), 'copy', 'copies')}; the first, of {first.bytes:,} bytes, {way}",
            where=place_of(first.where),
        )


# Traffic


def sent_by(collective: Collective, rank: int) -> int:
    """The bytes that a rank sends in a collective."""
    found = collective.share(rank)
    return 0 if found is None else found.sent


def spoken(operation: str) -> str:
    """The name of a collective in words.

    >>> spoken("all_gather_into_tensor"), spoken("reduce_scatter_tensor")
    ('all-gather', 'reduce-scatter')
    """
    return operation.removesuffix("_tensor").removesuffix("_into").replace("_", "-")


def tally(collectives: Sequence[Collective]) -> str:
    """How many collectives of each kind there were, in words."""
    kinds = Counter(spoken(each.operation) for each in collectives)
    return ", ".join(counted(count, kind) for kind, count in kinds.items()) or "none"


def counted(count: int, one: str, many: str | None = None) -> str:
    """A number with its noun.

    >>> counted(1, "copy", "copies"), counted(2, "send")
    ('1 copy', '2 sends')
    """
    return f"{count} {one if count == 1 else many or f'{one}s'}"


def article(noun: str) -> str:
    """A noun with its article.

    >>> article("all-reduce"), article("broadcast")
    ('an all-reduce', 'a broadcast')
    """
    return f"{'an' if noun[0] in 'aeio' else 'a'} {noun}"

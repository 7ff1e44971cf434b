"""A cluster of simulated devices, and how functions run on it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from .backs import Back, NumpyBack
from .device import Device
from .errors import GroupError
from .group import Group
from .hardware import Hardware
from .ledger import Ledger
from .machine import Machine, outside_of_the_library
from .scheduler import run_ranks

MIB = 2**20
Arguments = tuple[tuple[Any, ...], dict[str, Any]]


class _Rank:
    """Stands for the number of the rank in the arguments of ``Cluster.run``."""

    def __repr__(self) -> str:
        return "RANK"


RANK: Any = _Rank()


@dataclass(frozen=True, slots=True)
class PerRank:
    """An argument of which every rank gets its own; made by ``per_rank``."""

    values: tuple[Any, ...]


def per_rank(values: Sequence[Any]) -> Any:
    """Mark an argument of ``Cluster.run`` of which rank r gets ``values[r]``, or each rank that runs its own in order.

    >>> Cluster(2).run(lambda x: x * 10, per_rank([1, 2]))
    [10, 20]
    """
    return PerRank(tuple(values))


class RunsElsewhere(Protocol):
    """A function that knows by itself how to run on a cluster: a learner's function in files or in a worker."""

    def run_on(self, cluster: Cluster, calls: Sequence[Arguments]) -> list[Any]: ...


class Cluster:
    """``world_size`` devices, one ledger.

    ``capacity`` is bytes a device, ``flops`` the most floating-point operations of one operation; None is no limit.
    Functions run on it as on real accelerators: once per rank, each on its own device, and data moves between devices
    only by what the ledger records.

    With ``materialize=False`` arrays have shapes and bytes, and no values. Then ``ranks`` may name the few ranks that
    run, ascending, and stand for all: ``devices``, ``run`` and ``per_rank`` have these alone, groups keep their size,
    and in a collective the others count as having passed what these pass.

    With ``hardware``, such as ``Hardware(H100)``, the ledger also has seconds: see ``Ledger.time``.

    >>> cluster = Cluster(4)
    >>> def mean_of_ranks(rank, group):
    ...     x = group.device.zeros(1) + rank
    ...     group.all_reduce(x, op="avg")
    ...     return x
    >>> print(cluster.run(mean_of_ranks, RANK, cluster.world)[2])
    [1.5]
    >>> cluster.ledger.bytes_sent(2)
    24
    >>> large = Cluster(1024, materialize=False, ranks=[0, 1023], capacity=80 * 10**9)
    >>> def gather(group):
    ...     whole = group.device.empty((1024, 10**7), "float16")
    ...     group.all_gather_into_tensor(whole, group.device.zeros(10**7, "float16"))
    ...     return group.rank, group.size, whole.nbytes
    >>> large.run(gather, large.world)
    [(0, 1024, 20480000000), (1023, 1024, 20480000000)]
    >>> large.ledger.bytes_sent(1023)
    20460000000
    """

    def __init__(
        self,
        world_size: int,
        *,
        capacity: float | None = 64 * MIB,
        flops: float | None = 10**9,
        materialize: bool = True,
        ranks: Sequence[int] | None = None,
        hardware: Hardware | None = None,
        back: Back | None = None,
        learner_file: Callable[[str], bool] = outside_of_the_library,
    ) -> None:
        if world_size < 1:
            raise GroupError(f"a cluster has one device at least, not {world_size}")
        if ranks is not None:
            _check_ranks(world_size, ranks, materialize)
        self.machine = Machine(
            world_size,
            back or (NumpyBack() if materialize else Back()),
            capacity=math.inf if capacity is None else capacity,
            flops=math.inf if flops is None else flops,
            materialize=materialize,
            ranks=ranks,
            hardware=hardware,
            learner_file=learner_file,
        )
        self.world_size = world_size
        self.ranks: tuple[int, ...] = self.machine.ranks
        self.devices: tuple[Device, ...] = tuple(self.machine.devices.values())

    @property
    def ledger(self) -> Ledger:
        """Everything that happened on the cluster, in bytes."""
        self.machine.settle()
        return self.machine.ledger

    @property
    def world(self) -> Any:
        """The group of all ranks, as an argument of ``run``: each rank gets its own side of it."""
        return PerRank(tuple(self.group(0, rank) for rank in self.ranks))

    def group(self, number: int, rank: int) -> Group:
        """Group ``number`` seen from ``rank``; number 0 is the world."""
        return Group(self.machine, number, self.machine.devices[rank])

    def run(self, function: Callable[..., Any] | RunsElsewhere, *args: Any, **kwargs: Any) -> list[Any]:
        """Call ``function`` once per rank and return the results in rank order.

        ``per_rank([...])`` gives each rank its own argument, ``RANK`` is its number and ``cluster.world`` its group.
        If a rank raises, the run ends with its error.

        >>> Cluster(3).run(lambda rank, size: f"{rank} of {size}", RANK, 3)
        ['0 of 3', '1 of 3', '2 of 3']
        """
        if self.machine.pause is not None:
            raise GroupError("run was called inside a run; a rank calls its functions itself")
        calls = [
            (
                tuple(self._argument(arg, place) for arg in args),
                {key: self._argument(arg, place) for key, arg in kwargs.items()},
            )
            for place in range(len(self.ranks))
        ]
        if hasattr(function, "run_on"):
            results: list[Any] = function.run_on(self, calls)
            return results
        return self.run_each([partial(function, *given, **named) for given, named in calls])

    def run_each(
        self, bodies: Sequence[Callable[[], Any]], resume: Callable[[int | None], None] | None = None
    ) -> list[Any]:
        """Call one of ``bodies`` on each rank, in order; ``resume(rank)`` comes before each rank's turn."""
        return run_ranks(self.machine, bodies, resume)

    def _argument(self, argument: Any, place: int) -> Any:
        if isinstance(argument, PerRank):
            if len(argument.values) != len(self.ranks):
                which = f"{len(self.ranks)} ranks" if self.machine.materialize else f"{len(self.ranks)} live ranks"
                raise GroupError(f"per_rank has {len(argument.values)} values for a cluster of {which}")
            return argument.values[place]
        return self.ranks[place] if argument is RANK else argument

    def __repr__(self) -> str:
        return f"<Cluster of {self.world_size} devices>"


def _check_ranks(world_size: int, ranks: Sequence[int], materialize: bool) -> None:
    if materialize:
        raise GroupError("ranks needs materialize=False: with data, a rank that does not run has none to pass on")
    given = list(ranks)
    if (
        not given
        or any(type(rank) is not int for rank in given)
        or given != sorted(set(given))
        or not 0 <= given[0] <= given[-1] < world_size
    ):
        raise GroupError(f"ranks are one or more of 0 to {world_size - 1}, ascending and each once, not {ranks!r:.80}")

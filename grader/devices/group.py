"""Groups of ranks and their collectives, as ``torch.distributed`` has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import layout as layouts
from .array import DeviceArray
from .collectives import Call, methods
from .errors import GroupError, UnsupportedError

if TYPE_CHECKING:
    from .device import Device
    from .machine import Machine


class Work:
    """An asynchronous collective. Its arrays must not be used before ``wait()``.

    >>> from grader.devices import Cluster
    >>> cluster = Cluster(2)
    >>> def step(group):
    ...     x = group.device.zeros(2) + 1
    ...     work = group.all_reduce(x, async_op=True)
    ...     work.wait()
    ...     return x
    >>> print(cluster.run(step, cluster.world)[0])
    [2., 2.]
    """

    __slots__ = ("_call", "_machine")

    def __init__(self, machine: Machine, call: Call) -> None:
        self._machine = machine
        self._call = call

    def wait(self) -> None:
        """Return when the collective is done on this rank."""
        self._machine.wait(self._call, self._machine.where())

    def __del__(self) -> None:
        self._machine.drop_work(self._call)


class Group:
    """Ranks that communicate, seen from one of them: ``rank`` of ``size``, on ``device``.

    >>> from grader.devices import Cluster
    >>> cluster = Cluster(4)
    >>> cluster.run(lambda group: (group.rank, group.size), cluster.world)
    [(0, 4), (1, 4), (2, 4), (3, 4)]
    """

    __slots__ = ("device", "machine", "number")

    def __init__(self, machine: Machine, number: int, device: Device) -> None:
        self.machine = machine
        self.number = number
        self.device = device
        machine.members(number, device.rank)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    @property
    def ranks(self) -> tuple[int, ...]:
        """The ranks of the cluster that are in the group, in order."""
        return self.machine.groups[self.number]

    @property
    def rank(self) -> int:
        """This rank's number in the group, from 0."""
        return self.machine.position(self.number, self.device.rank)

    @property
    def size(self) -> int:
        """How many ranks are in the group."""
        return len(self.ranks)

    def split(self, color: int | Callable[[int], int]) -> Group:
        """The group of all ranks that pass the same ``color``. Every rank of this group must call it.

        ``color`` may be a function that gives the color of each rank of this group. Where only some ranks of a
        cluster run it must be: nobody else could say which group the others are in.

        >>> from grader.devices import Cluster
        >>> cluster = Cluster(4)
        >>> cluster.run(lambda group: group.split(group.rank % 2).ranks, cluster.world)
        [(0, 2), (1, 3), (0, 2), (1, 3)]
        >>> cluster = Cluster(1024, materialize=False, ranks=[9])
        >>> cluster.run(lambda group: group.split(lambda rank: rank // 4).ranks, cluster.world)
        [(8, 9, 10, 11)]
        """
        parameters: dict[str, Any]
        if callable(color):
            parameters = {"colors": tuple(layouts.integer(color(rank), "a color") for rank in range(self.size))}
        else:
            parameters = {"color": layouts.integer(color, "a color")}
        call = self._issue("split", (), (), parameters, False)
        self.machine.wait(call)
        assert call.new_group is not None
        return Group(self.machine, call.new_group, self.device)

    def call(
        self,
        name: str,
        inputs: tuple[DeviceArray, ...],
        outputs: tuple[DeviceArray, ...],
        parameters: dict[str, Any],
        async_op: bool,
    ) -> Work | None:
        """Call the collective ``name``. Its methods are made of this; see the modules of ``collectives``."""
        call = self._issue(name, inputs, outputs, parameters, bool(async_op))
        if async_op:
            return Work(self.machine, call)
        self.machine.wait(call)
        return None

    def _issue(
        self,
        name: str,
        inputs: tuple[DeviceArray, ...],
        outputs: tuple[DeviceArray, ...],
        parameters: dict[str, Any],
        asynchronous: bool,
    ) -> Call:
        for array in (*inputs, *outputs):
            if not isinstance(array, DeviceArray):
                raise UnsupportedError(
                    f"{name} takes arrays of a device, not {type(array).__name__}; device.array(host) makes one"
                )
        rank = self.device.rank
        if self.machine.rank not in (None, rank):
            raise GroupError(f"rank {self.machine.rank} called {name} on the group of rank {rank}")
        return self.machine.issue(Call(rank, self.number, name, inputs, outputs, parameters, asynchronous, None))

    def __repr__(self) -> str:
        return f"<Group rank {self.rank} of {self.size}>"


for _name, _method in methods().items():
    setattr(Group, _name, _method)
del _name, _method

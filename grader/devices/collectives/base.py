"""What a collective is: what its ranks must agree on, what it sends, and what it does to the data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import DtypeError, GroupError, ShapeError, UnsupportedError, Where

if TYPE_CHECKING:
    from ..array import DeviceArray

HostArray = npt.NDArray[Any]
REDUCTIONS: Mapping[str, np.ufunc] = {"sum": np.add, "avg": np.add, "max": np.maximum, "min": np.minimum}


@dataclass(slots=True, eq=False)
class Call:
    """One rank's call of a collective.

    ``done`` turns true when all ranks have called it and it was executed; ``waited`` when its rank may use the
    arrays again, and then it holds them no longer. ``issued`` and ``over`` are when, in seconds of a cluster's clock.
    """

    rank: int
    group: int
    name: str
    inputs: tuple[DeviceArray, ...]
    outputs: tuple[DeviceArray, ...]
    parameters: Mapping[str, Any]
    asynchronous: bool
    where: Where | None
    channel: tuple[Any, ...] = ()
    issued: float = 0.0
    over: float = 0.0
    done: bool = False
    waited: bool = False
    new_group: int | None = None

    @property
    def arrays(self) -> tuple[DeviceArray, ...]:
        return (*self.inputs, *self.outputs)

    @property
    def options(self) -> str:
        """Its parameters in words: the reduce op, the root. The colors of all ranks would be too many."""
        return ", ".join([str(v) if k == "op" else f"{k}={v}" for k, v in self.parameters.items() if k != "colors"])


class Rule(ABC):
    """One collective. Subclass it in a module of this folder and list an instance in ``RULES``.

    ``calls`` are always in the order of the ranks of the group. A call's first array is the one whose shape and dtype
    all ranks must share; that is the input, or the output where a rank only receives.
    """

    name: str

    def ranks(self, members: tuple[int, ...], call: Call) -> tuple[int, ...]:
        """The ranks that take part, of the group's ``members``."""
        return members

    def channel(self, members: tuple[int, ...], call: Call) -> tuple[Any, ...]:
        """Calls of one channel match by order of issue."""
        return (call.group,)

    def signature(self, call: Call) -> tuple[tuple[str, object], ...]:
        """What all ranks must agree on, as pairs of a name and a value."""
        return (("operation", call.name), *signature_of(call.arrays[:1]), ("options", call.options))

    def check_options(self, call: Call, count: int) -> None:  # noqa: B027
        """Raise if a parameter is none that the collective knows. By default there is nothing to look at."""

    def check(self, call: Call, count: int) -> None:  # noqa: B027
        """Raise if the call is wrong in itself, on a group of ``count`` ranks. By default nothing is."""

    @abstractmethod
    def sent(self, call: Call, count: int, position: int) -> int:
        """Bytes that the rank at ``position`` of ``count`` sends, by the ring algorithm."""

    def steps(self, count: int) -> int:
        """How many messages of a ring of ``count`` ranks follow one another."""
        return count - 1

    def carried(self, call: Call, count: int) -> int:
        """Bytes that the busiest link of the ring carries: those that each rank sends, where all send as many."""
        return self.sent(call, count, 0)

    @abstractmethod
    def execute(
        self, inputs: list[list[HostArray]], outputs: list[list[HostArray]], parameters: Mapping[str, Any]
    ) -> None:
        """Move the data: ``inputs[i]`` and ``outputs[i]`` are the arrays of the i-th rank."""

    def groups(self, members: tuple[int, ...], calls: Sequence[Call]) -> Mapping[int, tuple[int, ...]]:
        """New groups that the collective makes: the members of each calling rank's. None for most."""
        return {}


def signature_of(arrays: Sequence[DeviceArray]) -> tuple[tuple[str, object], ...]:
    """Shapes and dtypes, for a rule's signature."""
    return tuple([pair for array in arrays for pair in (("shape", array.shape), ("dtype", array.dtype))])


def check_contiguous(call: Call) -> None:
    """Collectives read and write whole runs of memory."""
    for array in call.arrays:
        if not array.layout.contiguous:
            raise ShapeError(
                f"{call.name} needs contiguous arrays; this one of shape {array.shape} is a strided view, "
                "so pass x.copy()"
            )


def check_same_dtype(call: Call) -> None:
    """Input and output of one call share a dtype."""
    first, second = call.arrays
    if first.dtype != second.dtype:
        raise DtypeError(f"{call.name}: the output is {second.dtype}, the input {first.dtype}")


def position_of(call: Call, name: str, count: int) -> int:
    """The rank of the group that parameter ``name`` gives, of ``count``."""
    position = call.parameters[name]
    if type(position) is not int or not 0 <= position < count:
        raise GroupError(f"{call.name} with {name}={position!r}: the group's ranks are 0 to {count - 1}")
    return position


def check_op(call: Call) -> None:
    """The reduce op is one that exists."""
    op = call.parameters["op"]
    if type(op) is not str or op not in REDUCTIONS:
        raise UnsupportedError(f"{call.name} knows op={', '.join(map(repr, REDUCTIONS))}, not {op!r:.60}")


def check_reduction(call: Call) -> None:
    """The reduce op exists for this dtype."""
    dtype = call.inputs[0].dtype
    if call.parameters["op"] == "avg" and dtype.kind != "f":
        raise DtypeError(f'{call.name} with op="avg" needs floats, not {dtype}')


def reduce(arrays: Sequence[HostArray], op: str) -> HostArray:
    """The elementwise reduction, in the order of the ranks and in the arrays' own dtype."""
    total = arrays[0].copy()
    for array in arrays[1:]:
        REDUCTIONS[op](total, array, out=total)
    if op == "avg":
        total /= len(arrays)
    return total

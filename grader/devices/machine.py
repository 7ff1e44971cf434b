"""The front of a cluster: checks, memory, rendezvous and the ledger. The data is its back's business.

Every act of a rank goes through one of the methods here, whoever calls them: a DeviceArray in the learner's
code, or a log of acts that is replayed. What they check and count is the same.
"""

from __future__ import annotations

import math
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import numpy.typing as npt

from .array import DeviceArray
from .backs import Back
from .collectives import Call, Rule, rules
from .errors import (
    ComputeLimitError,
    DeviceError,
    DoubleFreeError,
    DtypeError,
    GroupError,
    HangError,
    MismatchError,
    ShapeError,
    UnwaitedError,
    UseAfterFreeError,
    Waiting,
    Where,
    WrongDeviceError,
)
from .layout import Layout, broadcast, packed
from .ledger import Collective, HostCopy, Ledger, Share
from .operations import Operand, Scalar, Spec, check_dtype, table
from .storage import Flight, Memory, Storage

OWN_FOLDERS = (str(Path(__file__).parent), str(Path(np.__file__).parent))


def outside_of_the_library(filename: str) -> bool:
    """Whether a file is the user's and not of this package or NumPy."""
    return not filename.startswith(OWN_FOLDERS)


class Machine:
    """State of one cluster. ``rank`` is the rank that runs now, None outside of a run."""

    def __init__(
        self,
        world_size: int,
        back: Back,
        *,
        capacity: int,
        flops: int,
        learner_file: Callable[[str], bool] = outside_of_the_library,
    ) -> None:
        self.world_size = world_size
        self.back = back
        self.flops = flops
        self.ledger = Ledger()
        self.memory = tuple(Memory(rank, capacity, self.ledger) for rank in range(world_size))
        self.groups: list[tuple[int, ...]] = [tuple(range(world_size))]
        self.rank: int | None = None
        self.waiting: dict[int, Call] = {}
        self.pause: Callable[[], None] | None = None
        self._operations = table()
        self._rules = rules()
        self._learner_file = learner_file
        self._known_files: dict[str, bool] = {}
        self._dropped: deque[Storage] = deque()
        self._unwaited: deque[Call] = deque()
        self._open: dict[tuple[Any, ...], dict[int, Call]] = {}
        self._issued: dict[tuple[Any, ...], int] = {}
        self._storages = 0

    # Places and errors

    def where(self) -> Where | None:
        """The innermost line of the user's code."""
        frame: FrameType | None = sys._getframe(1)
        known = self._known_files
        while frame is not None:
            name = frame.f_code.co_filename
            theirs = known.get(name)
            if theirs is None:
                theirs = known[name] = self._learner_file(name)
            if theirs:
                return Where(name, frame.f_lineno)
            frame = frame.f_back
        return None

    @contextmanager
    def _errors_of(self, rank: int | None, where: Where | None) -> Iterator[None]:
        try:
            yield
        except DeviceError as error:
            if error.rank is None:
                error.rank = rank
            if error.where is None:
                error.where = where or self.where()
            raise

    # Memory

    def settle(self) -> None:
        """Give back, in order, the storages that nothing holds any more; report a Work nobody waited for."""
        dropped = self._dropped
        while dropped:
            storage = dropped.popleft()
            if not storage.freed:
                self.memory[storage.rank].release(storage, False, None)
                self.back.release(storage, False, None)
        if self._unwaited:
            self._refuse_unwaited()

    def _refuse_unwaited(self) -> None:
        call = self._unwaited.popleft()
        error = UnwaitedError(f"the Work of {call.name} was dropped without wait()")
        error.rank, error.where = call.rank, call.where
        raise error

    def _new(
        self, rank: int, shape: tuple[int, ...], dtype: np.dtype[Any], operation: str, where: Where | None
    ) -> DeviceArray:
        memory = self.memory[rank]
        memory.check_room(shape, dtype, operation)
        self._storages += 1
        storage = Storage(self._storages, rank, math.prod(shape), dtype, self._dropped)
        memory.allocate(storage, operation, where)
        return DeviceArray(self, storage, packed(shape))

    def adopt(self, rank: int, size: int, dtype: np.dtype[Any]) -> Storage:
        """A storage that exists elsewhere and is counted here without data."""
        return self._new(rank, (size,), dtype, "array", None).storage

    def create(
        self, rank: int, shape: tuple[int, ...], dtype: object, fill: int | None, where: Where | None = None
    ) -> DeviceArray:
        """A new array of zeros, or of nothing meaningful where ``fill`` is None."""
        where = where or self.where()
        with self._errors_of(rank, where):
            self.settle()
            if any(length < 0 for length in shape) or len(shape) > 32:
                raise ShapeError(f"{shape} is not a shape: lengths are 0 or more, and 32 at most")
            array = self._new(rank, shape, check_dtype(dtype), "empty" if fill is None else "zeros", where)
            self.back.create(array, fill, where)
            return array

    def upload(self, rank: int, host: npt.NDArray[Any], where: Where | None = None) -> DeviceArray:
        """A new array with the values of ``host``: a host copy up."""
        where = where or self.where()
        with self._errors_of(rank, where):
            self.settle()
            array = self._new(rank, host.shape, check_dtype(host.dtype), "array", where)
            self.ledger.events.append(HostCopy(rank, array.nbytes, False, "array", where))
            self.back.upload(array, host, where)
            return array

    def download(self, array: DeviceArray, operation: str, where: Where | None = None) -> npt.NDArray[Any]:
        """The values of ``array`` on the host: a host copy down."""
        where = where or self.where()
        with self._errors_of(array.storage.rank, where):
            self.settle()
            self.check_use(array, False, operation)
            self.ledger.events.append(HostCopy(array.storage.rank, array.nbytes, True, operation, where))
            return self.back.download(array, where)

    def show(self, array: DeviceArray, where: Where | None = None) -> str:
        """The values of ``array`` as text. For people: the text is no way to move data."""
        self.settle()
        if array.storage.freed:
            return f"<freed array of shape {array.shape}, {array.dtype}>"
        if any(flight.writes for flight in array.storage.flights):
            return f"<array of shape {array.shape}, {array.dtype}, still being written>"
        return self.back.show(array, where or self.where())

    def free(self, array: DeviceArray, where: Where | None = None) -> None:
        """Give the storage back now, whoever holds a view of it."""
        storage = array.storage
        where = where or self.where()
        with self._errors_of(storage.rank, where):
            self.settle()
            if storage.freed:
                raise DoubleFreeError(
                    f"free() of an array of shape {array.shape} whose storage was given back already; x.is_freed tells"
                )
            self._check_rank(storage, "free")
            storage.check_flights(Layout(0, (storage.size,), (1,)), True, "free")
            self.memory[storage.rank].release(storage, True, where)
            self.back.release(storage, True, where)

    # Computation

    def check_use(self, array: DeviceArray, writes: bool, operation: str) -> None:
        """Refuse the use of an array that is freed, another rank's, or in use by an unfinished operation."""
        storage = array.storage
        if storage.freed:
            raise UseAfterFreeError(
                f"{operation} uses an array of shape {array.shape} after its storage was given back"
            )
        if self.rank is not None and storage.rank != self.rank:
            self._check_rank(storage, operation)
        if storage.flights:
            storage.check_flights(array.layout, writes, operation)
        if writes and array.layout.overlaps_itself:
            raise ShapeError(f"{operation} writes into a broadcast view of shape {array.shape}; write into a copy")

    def _check_rank(self, storage: Storage, operation: str) -> None:
        if self.rank is not None and storage.rank != self.rank:
            raise WrongDeviceError(
                f"{operation} on rank {self.rank} uses an array of rank {storage.rank}; "
                "data moves between devices only by a collective or send and recv"
            )

    def compute(
        self,
        name: str,
        inputs: Sequence[DeviceArray | Scalar],
        parameters: Mapping[str, Any],
        output: DeviceArray | None = None,
        where: Where | None = None,
        rank: int | None = None,
    ) -> DeviceArray:
        """Run one operation of the table, into a new array or into ``output``."""
        try:
            if self._dropped or self._unwaited:
                self.settle()
            specs: list[Operand] = []
            for each in inputs:
                if isinstance(each, DeviceArray):
                    if each.machine is not self:
                        raise WrongDeviceError(f"{name} uses an array of another cluster")
                    self.check_use(each, False, name)
                    if rank is None:
                        rank = each.storage.rank
                    elif each.storage.rank != rank:
                        raise WrongDeviceError(f"{name} mixes arrays of device {rank} and device {each.storage.rank}")
                    specs.append(Spec(each.layout.shape, each.storage.dtype))
                else:
                    specs.append(each)
            if output is not None:
                if output.machine is not self:
                    raise WrongDeviceError(f"{name} writes into an array of another cluster")
                self.check_use(output, True, name)
                if rank is not None and output.storage.rank != rank:
                    raise WrongDeviceError(f"{name} mixes arrays of device {rank} and device {output.storage.rank}")
                rank = output.storage.rank
            assert rank is not None
            operation = self._operations[name]
            result = operation.infer(tuple(specs), parameters)
            if result.flops > self.flops:
                raise ComputeLimitError(
                    f"{name} needs {result.flops:,} floating-point operations; one operation may take {self.flops:,}"
                )
            if where is None:
                where = self.where()
            new = output is None
            if output is None:
                output = self._new(rank, result.shape, result.dtype, name, where)
            else:
                if result.shape != output.shape:
                    broadcast(packed(result.shape), output.shape)
                if not np.can_cast(result.dtype, output.dtype, operation.casting):  # type: ignore[arg-type]
                    raise DtypeError(f"{name} gives {result.dtype}, which does not go into an array of {output.dtype}")
            self.back.compute(rank, operation, inputs, parameters, output, new, where)
            return output
        except DeviceError as error:
            if error.rank is None:
                error.rank = self.rank if rank is None else rank
            if error.where is None:
                error.where = where or self.where()
            raise

    # Collectives

    def members(self, group: int, rank: int) -> tuple[int, ...]:
        """The ranks of a group, of which ``rank`` must be one."""
        members = self.groups[group]
        if rank not in members:
            raise GroupError(f"rank {rank} is not in this group of ranks {members}")
        return members

    def issue(self, call: Call) -> Call:
        """One rank calls a collective; the last one to come executes it for all."""
        if call.where is None:
            call.where = self.where()
        with self._errors_of(call.rank, call.where):
            self.settle()
            rule = self._rules[call.name]
            members = self.members(call.group, call.rank)
            for array in call.arrays:
                if array.machine is not self:
                    raise WrongDeviceError(f"{call.name} uses an array of another cluster")
                if array.storage.rank != call.rank:
                    raise WrongDeviceError(
                        f"{call.name} on rank {call.rank} uses an array of rank {array.storage.rank}"
                    )
            for array in call.inputs:
                self.check_use(array, False, call.name)
            for array in call.outputs:
                self.check_use(array, True, call.name)
            ranks = rule.ranks(members, call)
            channel = rule.channel(members, call)
            counter = (*channel, "rank", call.rank)
            call.number = self._issued.get(counter, 0)
            self._issued[counter] = call.number + 1
            call.channel = (*channel, call.number)
            self.back.issue(call)
            calls = self._open.setdefault(call.channel, {})
            calls[call.rank] = call
            if len(calls) == len(ranks):
                self._complete(rule, members, tuple(calls[rank] for rank in ranks))
            else:
                self._take_off(call)
            return call

    def _take_off(self, call: Call) -> None:
        for arrays, writes in ((call.inputs, False), (call.outputs, True)):
            for array in arrays:
                flight = Flight(call.name, *array.layout.bounds, writes)
                array.storage.flights = (*array.storage.flights, flight)

    def _land(self, call: Call) -> None:
        for array in call.arrays:
            array.storage.flights = ()
        for other in self._pending():
            if other is not call:
                for arrays, writes in ((other.inputs, False), (other.outputs, True)):
                    for array in arrays:
                        if any(array.storage is mine.storage for mine in call.arrays):
                            flight = Flight(other.name, *array.layout.bounds, writes)
                            array.storage.flights = (*array.storage.flights, flight)

    def _pending(self) -> Iterator[Call]:
        for calls in self._open.values():
            for call in calls.values():
                if not call.waited:
                    yield call

    def _complete(self, rule: Rule, members: tuple[int, ...], calls: tuple[Call, ...]) -> None:
        if len({rule.signature(call) for call in calls}) > 1:
            raise MismatchError(f"the ranks do not agree on {self._subject(calls)}", self._rows(calls))
        for call in calls:
            with self._errors_of(call.rank, call.where):
                rule.check(call, len(members))
        shares = tuple(
            Share(
                call.rank,
                rule.sent(call, len(members), members.index(call.rank)),
                call.arrays[0].shape if call.arrays else (),
                tuple(array.storage.number for array in call.inputs),
                tuple(array.storage.number for array in call.outputs),
                call.where,
            )
            for call in calls
        )
        first = calls[0]
        dtype = first.arrays[0].dtype.name if first.arrays else ""
        self.ledger.events.append(Collective(first.name, first.group, dtype, first.options, first.asynchronous, shares))
        self.back.complete(rule, calls)
        for rank, new in rule.groups(calls).items():
            if new not in self.groups[1:]:
                self.groups.append(new)
            next(call for call in calls if call.rank == rank).new_group = self.groups.index(new, 1)
        for call in calls:
            call.done = True
            if not call.asynchronous:
                self._finish(call)
            elif call.rank == calls[-1].rank:
                continue
        for call in calls:
            if call.asynchronous and not call.waited:
                # Also the last rank to come must wait before it looks.
                self._land(call)
                self._take_off(call)

    def _finish(self, call: Call) -> None:
        if not call.waited:
            call.waited = True
            calls = self._open.get(call.channel, {})
            if all(each.waited for each in calls.values()) and call.done:
                self._open.pop(call.channel, None)
            self._land(call)

    def wait(self, call: Call, where: Where | None = None) -> None:
        """Return when the collective is done; other ranks run meanwhile."""
        if call.waited:
            return
        while not call.done:
            if self.pause is None:
                raise HangError(f"{call.name} waits for ranks that did not call it", self._rows((call,)))
            self.waiting[call.rank] = call
            self.pause()
        self.waiting.pop(call.rank, None)
        if call.asynchronous:
            self.back.wait(call, where)
            self._finish(call)

    def drop_work(self, call: Call) -> None:
        """The learner's handle of an asynchronous call died."""
        if not call.waited:
            self._unwaited.append(call)

    def finish_rank(self, rank: int) -> None:
        """A rank's function returned: nothing of it may be in flight."""
        self.settle()
        for call in self._pending():
            if call.rank == rank:
                self._unwaited.append(call)
        if self._unwaited:
            self._refuse_unwaited()

    def abandon(self) -> None:
        """A run failed: forget what its ranks were waiting for."""
        for call in tuple(self._pending()):
            for array in call.arrays:
                array.storage.flights = ()
        self._open.clear()
        self._issued.clear()
        self._unwaited.clear()
        self.waiting.clear()

    def hang(self) -> HangError:
        """The error for a cluster in which no rank can go on."""
        return HangError("no rank can go on: each waits for another", self._rows(tuple(self.waiting.values())))

    def _rows(self, calls: Sequence[Call]) -> tuple[Waiting, ...]:
        by_rank = {call.rank: call for call in (*self.waiting.values(), *calls)}
        rows = []
        for rank in range(self.world_size):
            call = by_rank.get(rank)
            if call is None:
                rows.append(Waiting(rank, "returned"))
                continue
            array = call.arrays[0] if call.arrays else None
            rows.append(
                Waiting(
                    rank,
                    call.name,
                    None if array is None else array.shape,
                    None if array is None else array.dtype.name,
                    call.options,
                    call.where,
                )
            )
        return tuple(rows)

    def _subject(self, calls: Sequence[Call]) -> str:
        if len({call.name for call in calls}) > 1 and len({call.channel for call in calls}) == 1:
            return "which operation comes next"
        for what, values in (
            ("shape", {call.arrays[0].shape for call in calls if call.arrays}),
            ("dtype", {call.arrays[0].dtype for call in calls if call.arrays}),
        ):
            if len(values) > 1:
                return f"the {what} for {calls[0].name}"
        return f"the options of {calls[0].name}"

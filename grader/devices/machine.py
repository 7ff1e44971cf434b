"""The front of a cluster: checks, memory, rendezvous and the ledger. The data is its back's business.

Every act of a rank goes through one of the methods here, whoever calls them: a DeviceArray in the learner's
code, or a log of acts that is replayed. What they check and count is the same.
"""

from __future__ import annotations

import math
import os
import sys
import sysconfig
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import numpy.typing as npt

from .array import DeviceArray
from .backs import Back
from .clock import Clock
from .collectives import Call, Rule, rules
from .device import Device
from .errors import (
    ComputeLimitError,
    DeviceError,
    DoubleFreeError,
    GroupError,
    HangError,
    InFlightError,
    MismatchError,
    NoDataError,
    OutOfMemoryError,
    ShapeError,
    UnwaitedError,
    UseAfterFreeError,
    Waiting,
    Where,
    WrongDeviceError,
)
from .hardware import Hardware
from .layout import MOST_DIMENSIONS, Layout, check_shape, packed
from .ledger import Collective, HostCopy, Ledger, Share, Unkept
from .operations import Operand, Scalar, Spec, check_dtype, table
from .storage import Memory, Storage

# What an operation may always take for temporary copies, however small the device.
WORKSPACE = 2**20
HOW_DATA_MOVES = "data moves between devices only by a collective or send and recv"
LIBRARY_FOLDERS = tuple(
    str(folder) + os.sep
    for folder in (Path(__file__).parent, Path(np.__file__).parent, sysconfig.get_paths()["stdlib"])
)


def outside_of_the_library(filename: str) -> bool:
    """Whether a file is the user's, and not of this package, NumPy or Python."""
    return not filename.startswith((*LIBRARY_FOLDERS, "<frozen "))


class Machine:
    """State of one cluster. ``rank`` is the rank that runs now, None outside of a run; ``ranks`` are those that do."""

    def __init__(
        self,
        world_size: int,
        back: Back,
        *,
        capacity: float,
        flops: float,
        materialize: bool = True,
        ranks: Sequence[int] | None = None,
        hardware: Hardware | None = None,
        learner_file: Callable[[str], bool] = outside_of_the_library,
    ) -> None:
        self.world_size = world_size
        self.back = back
        self.capacity = capacity
        self.flops = flops
        self.materialize = materialize
        self.ranks = tuple(range(world_size) if ranks is None else ranks)
        self.ledger = Ledger([] if back.keeps_events else Unkept())
        self.clock = None if hardware is None else Clock(hardware, self.ranks, self.ledger.events.append)
        self.memory = {rank: Memory(rank, capacity, self.ledger) for rank in self.ranks}
        self.devices = {rank: Device(self, rank) for rank in self.ranks}
        self.groups: list[tuple[int, ...]] = []
        self._live: list[tuple[int, ...]] = []
        self._positions: list[dict[int, int]] = []
        self._numbers: dict[tuple[int, ...], int] = {}
        self._add_group(tuple(range(world_size)))

        # The scheduler's side: what pauses the rank that runs, what each paused rank waits for, whom a collective woke.
        self.rank: int | None = None
        self.pause: Callable[[], None] | None = None
        self.waiting: dict[int, Call] = {}
        self.ready: deque[int] = deque()

        self._operations = table()
        self._rules = rules()
        self._is_theirs = cache(learner_file)
        self._storages = 0
        self._dropped: deque[Storage] = deque()
        self._unwaited: deque[Call] = deque()
        # Calls that a channel's other ranks have yet to join, oldest first; and each rank's calls that are not over.
        self._open: dict[tuple[Any, ...], list[dict[int, Call]]] = {}
        self._in_flight: dict[int, list[Call]] = {rank: [] for rank in self.ranks}

    # Places and errors

    def where(self) -> Where | None:
        """The innermost line of the user's code."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            name = frame.f_code.co_filename
            if self._is_theirs(name):
                return Where(name, frame.f_lineno)
            frame = frame.f_back
        return None

    def locate(self, error: DeviceError, rank: int) -> None:
        """Say where on ``rank`` an error arose that no method here has seen: of a view, say."""
        where = None
        trace = error.__traceback__
        while trace is not None:
            name = trace.tb_frame.f_code.co_filename
            if self._is_theirs(name):
                where = Where(name, trace.tb_lineno)
            trace = trace.tb_next
        self._place(error, rank, where)

    def _place(self, error: DeviceError, rank: int | None, where: Where | None) -> None:
        """Say on which rank and line an error arose, if it does not know."""
        if isinstance(error, (MismatchError, HangError)):
            return
        if error.rank is None:
            error.rank = rank
        if error.where is None:
            error.where = where or self.where()

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
            self._refuse_unwaited(self._unwaited.popleft())

    def _new(
        self, rank: int, shape: tuple[int, ...], dtype: np.dtype[Any], operation: str, where: Where | None
    ) -> DeviceArray:
        memory = self.memory[rank]
        size = math.prod(shape)
        memory.check_room(size * dtype.itemsize, shape, dtype, operation)
        self._storages += 1
        storage = Storage(self._storages, rank, size, dtype, self._dropped)
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
        try:
            self.settle()
            self._check_rank(rank, "array", "makes")
            check_shape(shape)
            array = self._new(rank, shape, check_dtype(dtype), "empty" if fill is None else "zeros", where)
            if self.clock is not None and fill is not None:
                self.clock.compute(rank, "zeros", 0, array.nbytes, where)
            self.back.create(array, fill, where)
            return array
        except DeviceError as error:
            self._place(error, rank, where)
            raise

    def upload(self, rank: int, host: npt.NDArray[Any], where: Where | None = None) -> DeviceArray:
        """A new array with the values of ``host``: a host copy up."""
        where = where or self.where()
        try:
            self.settle()
            self._check_rank(rank, "array", "makes")
            check_shape(host.shape)
            array = self._new(rank, host.shape, check_dtype(host.dtype), "array", where)
            self.ledger.events.append(HostCopy(rank, array.nbytes, False, "array", where))
            self.back.upload(array, host, where)
            return array
        except DeviceError as error:
            self._place(error, rank, where)
            raise

    def download(self, array: DeviceArray, operation: str, where: Where | None = None) -> npt.NDArray[Any]:
        """The values of ``array`` on the host: a host copy down."""
        where = where or self.where()
        rank = array.storage.rank
        try:
            self.settle()
            self.check_use(array, False, operation)
            if not self.materialize:
                raise NoDataError(
                    f"{operation} reads the values of an array of shape {array.shape}, and this cluster has none: with "
                    "materialize=False it keeps shapes only; decide by shapes and ranks, or use a cluster with data"
                )
            if array.nbytes > self.memory[rank].capacity:
                raise OutOfMemoryError(
                    f"{operation} of a view of shape {array.shape} would make {array.nbytes:,} bytes on the host; "
                    f"{self.memory[rank].capacity:,} are allowed"
                )
            self.ledger.events.append(HostCopy(rank, array.nbytes, True, operation, where))
            return self.back.download(array, where)
        except DeviceError as error:
            self._place(error, rank, where)
            raise

    def show(self, array: DeviceArray, where: Where | None = None) -> str:
        """The values of ``array`` as text. For people: the text is no way to move data."""
        self.settle()
        if array.storage.freed:
            return f"<freed array of shape {array.shape}, {array.dtype}>"
        if self._user(array.storage, array.layout, False) is not None:
            return f"<array of shape {array.shape}, {array.dtype}, still being written>"
        return self.back.show(array, where or self.where())

    def free(self, array: DeviceArray, where: Where | None = None) -> None:
        """Give the storage back now, whoever holds a view of it."""
        storage = array.storage
        where = where or self.where()
        try:
            self.settle()
            if storage.freed:
                raise DoubleFreeError(
                    f"free() of an array of shape {array.shape} whose storage was given back already; x.is_freed tells"
                )
            self._check_rank(storage.rank, "free", "uses")
            self._check_flights(storage, packed((storage.size,)), True, "free")
            self.memory[storage.rank].release(storage, True, where)
            self.back.release(storage, True, where)
        except DeviceError as error:
            self._place(error, storage.rank, where)
            raise

    # Computation

    def check_use(self, array: DeviceArray, writes: bool, operation: str) -> None:
        """Refuse the use of an array that is freed, another rank's, or in use by an unfinished operation."""
        storage = array.storage
        if storage.freed:
            raise UseAfterFreeError(
                f"{operation} uses an array of shape {array.shape} after its storage was given back"
            )
        if storage.rank != self.rank:
            self._check_rank(storage.rank, operation, "uses")
        if self._in_flight[storage.rank]:
            self._check_flights(storage, array.layout, writes, operation)
        if writes and array.layout.overlaps_itself:
            raise ShapeError(f"{operation} writes into a broadcast view of shape {array.shape}; write into a copy")

    def _check_rank(self, rank: int, operation: str, verb: str) -> None:
        if self.rank is not None and rank != self.rank:
            raise WrongDeviceError(
                f"{operation} on rank {self.rank} {verb} an array of device {rank}; {HOW_DATA_MOVES}"
            )

    def _user(self, storage: Storage, layout: Layout, writes: bool) -> Call | None:
        """An unfinished call that a use of these elements would race with: one writes what the other touches."""
        for call in self._in_flight[storage.rank]:
            for array in call.arrays if writes else call.outputs:
                if array.storage is storage and layout.touches(*array.layout.bounds):
                    return call
        return None

    def _check_flights(self, storage: Storage, layout: Layout, writes: bool, operation: str) -> None:
        call = self._user(storage, layout, writes)
        if call is not None:
            raise InFlightError(
                f"{operation} {'writes' if writes else 'reads'} an array that an unfinished {call.name} uses; "
                "call wait() on its Work first"
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
                    rank = self._common_rank(name, each, rank)
                    self.check_use(each, False, name)
                    specs.append(Spec(each.layout.shape, each.storage.dtype))
                else:
                    specs.append(each)
            if output is not None:
                rank = self._common_rank(name, output, rank)
                self.check_use(output, True, name)
            assert rank is not None
            operation = self._operations[name]
            result = operation.infer(tuple(specs), parameters)
            if result.flops > self.flops:
                raise ComputeLimitError(
                    f"{name} needs {result.flops:,} floating-point operations; one operation may take {self.flops:,}"
                )
            if result.scratch > WORKSPACE and result.scratch > 2 * self.memory[rank].capacity:
                raise OutOfMemoryError(
                    f"{name} needs {result.scratch:,} bytes for temporary copies; "
                    f"{max(2 * self.memory[rank].capacity, WORKSPACE):,} are allowed, twice the device's memory"
                )
            if where is None:
                where = self.where()
            if output is None:
                if len(result.shape) > MOST_DIMENSIONS or 0 in result.shape:
                    check_shape(result.shape)
                output = self._new(rank, result.shape, result.dtype, name, where)
                new = True
            else:
                operation.check_output(specs, result, Spec(output.shape, output.dtype))
                new = False
            if self.clock is not None:
                read = sum(each.nbytes for each in inputs if isinstance(each, DeviceArray))
                self.clock.compute(rank, name, result.flops, read + output.nbytes, where)
            self.back.compute(rank, operation, inputs, parameters, output, new, where)
            return output
        except DeviceError as error:
            self._place(error, self.rank if rank is None else rank, where)
            raise

    def _common_rank(self, name: str, array: DeviceArray, rank: int | None) -> int:
        """The rank of ``array``, which must be ``rank`` if that is known."""
        if array.machine is not self:
            raise WrongDeviceError(f"{name} uses an array of another cluster")
        found = array.storage.rank
        if rank is not None and found != rank:
            raise WrongDeviceError(f"{name} on device {rank} uses an array of device {found}; {HOW_DATA_MOVES}")
        return found

    # Collectives

    def members(self, group: int, rank: int) -> tuple[int, ...]:
        """The ranks of a group, of which ``rank`` must be one."""
        if not 0 <= group < len(self.groups):
            raise GroupError(f"there is no group {group} on this cluster")
        if rank not in self._positions[group]:
            raise GroupError(f"rank {rank} is not in this group of ranks {self.groups[group]}")
        return self.groups[group]

    def position(self, group: int, rank: int) -> int:
        """The number of ``rank`` within a group."""
        return self._positions[group][rank]

    def _add_group(self, members: tuple[int, ...]) -> int:
        self._positions.append({rank: position for position, rank in enumerate(members)})
        self._live.append(tuple(rank for rank in members if rank in self.memory))
        self.groups.append(members)
        return len(self.groups) - 1

    def issue(self, call: Call) -> Call:
        """One rank calls a collective; the last one to come executes it for all."""
        if call.where is None:
            call.where = self.where()
        try:
            self.settle()
            rule = self._rules[call.name]
            members = self.members(call.group, call.rank)
            for arrays, writes in ((call.inputs, False), (call.outputs, True)):
                for array in arrays:
                    self._common_rank(call.name, array, call.rank)
                    self.check_use(array, writes, call.name)
            rule.check_options(call, len(members))
            ranks = rule.ranks(members, call)
            live = self._live_among(call.group, ranks)
            call.channel = rule.channel(members, call)
            if self.clock is not None:
                self.clock.issue(call)
            self.back.issue(call)
            queue = self._open.setdefault(call.channel, [])
            calls = next((calls for calls in queue if call.rank not in calls), None)
            if calls is None:
                queue.append(calls := {})
            calls[call.rank] = call
            self._in_flight[call.rank].append(call)
            if len(calls) == len(live):
                queue.remove(calls)
                self._complete(rule, members, ranks, [calls[rank] for rank in live], calls.values())
            return call
        except DeviceError as error:
            self._place(error, call.rank, call.where)
            raise

    def _live_among(self, group: int, ranks: tuple[int, ...]) -> tuple[int, ...]:
        """Those of a group's ``ranks`` that run; in a collective the others count as having passed what these do."""
        # Those of a whole group are known: looking at each of many absent ranks would take long.
        return self._live[group] if ranks is self.groups[group] else tuple(r for r in ranks if r in self.memory)

    def _complete(
        self,
        rule: Rule,
        members: tuple[int, ...],
        ranks: Sequence[int],
        calls: Sequence[Call],
        arrived: Iterable[Call],
    ) -> None:
        """Execute a collective: ``calls`` in the order that its rule wants, ``arrived`` in that in which they came."""
        try:
            self._check_agreement(rule, calls)
            for call in calls:
                self._check_call(rule, call, len(members))
            made = rule.groups(members, calls)
        except DeviceError:
            for call in calls:
                self._finish(call)
            raise
        shares = [self._share(rule, call, members) for call in calls]
        shares.sort(key=lambda share: share.rank)
        first = calls[0]
        dtype = first.arrays[0].dtype.name if first.arrays else ""
        self.ledger.events.append(
            Collective(first.name, first.group, dtype, first.options, first.asynchronous, tuple(shares))
        )
        if self.clock is not None:
            self.clock.complete(rule, ranks, len(members), calls)
        self.back.complete(rule, calls)
        for call in arrived:
            if made:
                new = made[call.rank]
                if new not in self._numbers:
                    self._numbers[new] = self._add_group(new)
                call.new_group = self._numbers[new]
            call.done = True
            if not call.asynchronous:
                self._finish(call)
            if self.waiting.get(call.rank) is call:
                del self.waiting[call.rank]
                self.ready.append(call.rank)

    def _check_agreement(self, rule: Rule, calls: Sequence[Call]) -> None:
        signatures = [rule.signature(call) for call in calls]
        if signatures.count(signatures[0]) == len(signatures):
            return
        usual = Counter(signatures).most_common(1)[0][0]
        odd = next(call for call, signature in zip(calls, signatures, strict=True) if signature != usual)
        what = next(part for part, other in zip(usual, rule.signature(odd), strict=False) if part != other)[0]
        subject = "which operation comes next" if what == "operation" else f"the {what} of {calls[0].name}"
        error = MismatchError(f"the ranks do not agree on {subject}", tuple(map(_row, calls)))
        error.rank, error.where = odd.rank, odd.where
        raise error

    def _check_call(self, rule: Rule, call: Call, count: int) -> None:
        try:
            rule.check(call, count)
        except DeviceError as error:
            self._place(error, call.rank, call.where)
            raise

    def _share(self, rule: Rule, call: Call, members: tuple[int, ...]) -> Share:
        return Share(
            call.rank,
            rule.sent(call, len(members), self.position(call.group, call.rank)),
            call.arrays[0].shape if call.arrays else (),
            tuple([array.storage.number for array in call.inputs]),
            tuple([array.storage.number for array in call.outputs]),
            call.where,
        )

    def _finish(self, call: Call) -> None:
        """The call is over: its rank may use the arrays again, and the call holds them no longer."""
        if not call.waited:
            call.waited = True
            self._in_flight[call.rank].remove(call)
            call.inputs = call.outputs = ()

    def _withdraw(self, call: Call) -> None:
        """Forget a call that can no longer be completed or waited for."""
        for calls in self._open.get(call.channel, ()):
            if calls.get(call.rank) is call:
                del calls[call.rank]
        self._finish(call)

    def wait(self, call: Call, where: Where | None = None) -> None:
        """Return when the collective is done; other ranks run meanwhile."""
        if call.waited:
            return
        if self.rank not in (None, call.rank):
            raise GroupError(f"rank {self.rank} waits for the {call.name} of rank {call.rank}")
        if not call.done:
            if self.pause is None:
                raise self._nobody_comes(call)
            self.waiting[call.rank] = call
            self.pause()
        if call.asynchronous:
            if self.clock is not None:
                self.clock.wait(call, where)
            self.back.wait(call, where)
            self._finish(call)

    def _nobody_comes(self, call: Call) -> HangError:
        """The error for a collective that is called outside of a run, by too few ranks."""
        calls = next(calls for calls in self._open[call.channel] if calls.get(call.rank) is call)
        ranks = self._rules[call.name].ranks(self.groups[call.group], call)
        live = self._live_among(call.group, ranks)
        rows = tuple(_row(calls[rank]) if rank in calls else Waiting(rank, "did not call") for rank in live)
        error = HangError(f"{call.name} waits for ranks that did not call it", rows)
        error.rank, error.where = call.rank, call.where
        self._withdraw(call)
        return error

    def drop_work(self, call: Call) -> None:
        """The learner's handle of an asynchronous call died."""
        if not call.waited:
            self._unwaited.append(call)

    def _refuse_unwaited(self, call: Call) -> None:
        error = UnwaitedError(f"the Work of {call.name} was dropped without wait()")
        error.rank, error.where = call.rank, call.where
        self._withdraw(call)
        raise error

    # Runs

    def finish_rank(self, rank: int) -> None:
        """A rank's function returned: nothing of it may be in flight."""
        self.settle()
        for call in self._in_flight[rank]:
            self._refuse_unwaited(call)

    def abandon(self) -> None:
        """A run failed: forget what its ranks were in."""
        for calls in self._in_flight.values():
            for call in tuple(calls):
                self._finish(call)
        self._open.clear()
        self._unwaited.clear()
        self.waiting.clear()
        self.ready.clear()

    def hang(self) -> HangError:
        """The error for a cluster in which no rank can go on."""
        rows = tuple(
            _row(self.waiting[rank]) if rank in self.waiting else Waiting(rank, "returned") for rank in self.ranks
        )
        return HangError("no rank can go on: each waits for another", rows)


def _row(call: Call) -> Waiting:
    """A line of the table that a hang or a mismatch shows."""
    array = call.arrays[0] if call.arrays else None
    return Waiting(
        call.rank,
        call.name,
        None if array is None else array.shape,
        None if array is None else array.dtype.name,
        call.options,
        call.where,
    )

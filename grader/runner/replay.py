"""Does again, on a cluster with data, what a worker says that its ranks did. Only this cluster's ledger counts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.devices import Cluster, DeviceArray, Group
from grader.devices.collectives import Call, rules
from grader.devices.errors import ComputeLimitError, OutOfMemoryError, Where, WrongDeviceError
from grader.devices.layout import MOST_DIMENSIONS, Layout, check_shape, packed
from grader.devices.operations import Scalar, table
from grader.devices.storage import Storage

from . import wire
from .wire import WireError, integers

# What an operation may be told, and of which types.
PARAMETERS: Mapping[str, tuple[type, ...]] = {
    "axis": (int, list, type(None)),
    "keepdims": (bool,),
    "dtype": (str, type(None)),
    "indices": (list,),
    "widths": (list,),
    "value": (bool, int, float),
    "k": (int,),
    "ddof": (int, float),
}
DTYPES: Mapping[str, np.dtype[Any]] = {
    name: dtype
    for kind, sizes in (("bool", ("",)), ("int", (8, 16, 32, 64)), ("uint", (8, 16, 32, 64)), ("float", (16, 32, 64)))
    for dtype in (np.dtype(f"{kind}{size}") for size in sizes)
    for name in (dtype.name, dtype.str)
}
OPTIONS: Mapping[str, type] = {"op": str, "src": int, "dst": int, "color": int, "colors": list}
SHOWN_LIMIT = 200
# What one call may do: each act is kept in the ledger.
ACTS_LIMIT = 250_000
# A place for acts outside of the learner's lines, so that the cluster here does not look for one among ours.
NOWHERE = Where("", 0)


class Replay(wire.Decoder):
    """The trusted side of one cluster that a worker works on."""

    def __init__(self, cluster: Cluster, number: int) -> None:
        self.number = number
        self.machine = cluster.machine
        self._operations = table()
        self.storages: dict[int, Storage] = {}
        self._keys: dict[int, int] = {}

    # References

    def key(self, storage: Storage, new: list[list[Any]], next_key: int) -> int:
        """The number of a storage on the wire; one that the worker does not know is added to ``new``.

        A freed one may be known no longer: the worker is told of it anew.
        """
        key = self._keys.get(storage.number)
        if key is None or storage.freed:
            key = next_key
            self._know(key, storage)
            new.append([key, storage.rank, storage.size, storage.dtype.str, storage.freed])
        return key

    def freed(self) -> list[int]:
        """Storages that the worker knows and the suite has freed."""
        return [key for key, storage in self.storages.items() if storage.freed]

    def _know(self, key: int, storage: Storage) -> None:
        self.storages[key] = storage
        self._keys[storage.number] = key

    def _storage(self, key: Any) -> Storage:
        storage = self.storages.get(key)
        if storage is None:
            raise WrongDeviceError("an array of another cluster is used, kept in a variable since an earlier run")
        return storage

    def array(self, reference: Any) -> DeviceArray:
        if type(reference) is not list or len(reference) not in (3, 4) or type(reference[0]) is not int:
            raise WireError("not a reference to an array")
        storage = self._storage(reference[0])
        offset, shape = reference[1], _shape(reference[2])
        if type(offset) is not int:
            raise WireError("not a layout")
        if len(reference) == 3:
            layout = Layout(offset, shape, packed(shape).strides) if offset else packed(shape)
            low, high = offset, offset + math.prod(shape)
        else:
            layout = Layout(offset, shape, integers(reference[3], MOST_DIMENSIONS))
            if len(layout.strides) != len(shape) or not layout.nested:
                raise WireError("not a layout")
            low, high = layout.bounds
        if low < 0 or high > storage.size:
            raise WireError("an array beyond its storage")
        return DeviceArray(self.machine, storage, layout)

    def group(self, number: int) -> Group:
        raise WireError("a group as a result")

    def _operand(self, data: Any) -> DeviceArray | Scalar:
        if type(data) in (bool, int, float):
            return Scalar(data)
        if type(data) is list and len(data) == 2 and type(data[0]) is str and type(data[1]) in (bool, int, float):
            return Scalar(data[1], _dtype(data[0]))
        return self.array(data)

    # Entries

    def apply(self, entry: list[Any], blob: bytes, log: LogState) -> bytes | None:
        """Do one entry. Returns the answer for the worker where it waits for one."""
        kind = entry[0]
        if kind == wire.DROP:
            storage = self.storages.pop(entry[1], None)
            if storage is not None:
                del self._keys[storage.number]
            return None
        rank, machine = entry[1], self.machine
        if type(rank) is not int or rank not in machine.memory:
            raise WireError("not a rank of the cluster")
        log.count()
        where = _where(entry[2])
        machine.rank = rank
        try:
            if kind == wire.COMPUTE:
                _, _, _, name, inputs, parameters, target = entry
                if type(name) is not str or name not in self._operations:
                    raise WireError("an operation that there is not")
                operands = [self._operand(each) for each in inputs]
                output = None if target is None else self.array(target)
                made = machine.compute(name, operands, _parameters(parameters), output, where, rank)
                if output is None:
                    self._know(log.new_key(), made.storage)
            elif kind == wire.CREATE:
                shape, fill = _shape(entry[3]), entry[5]
                if fill not in (None, 0):
                    raise WireError("a fill that is none")
                self._know(log.new_key(), machine.create(rank, shape, _dtype(entry[4]), fill, where).storage)
            elif kind == wire.UPLOAD:
                host = _host_array(blob, _shape(entry[3]), _dtype(entry[4]), machine.materialize)
                self._know(log.new_key(), machine.upload(rank, host, where).storage)
            elif kind == wire.DOWNLOAD:
                array = self.array(entry[3])
                if array.nbytes > wire.BLOB_LIMIT:
                    raise OutOfMemoryError(f"numpy of {array.nbytes:,} bytes; {wire.BLOB_LIMIT:,} are allowed at once")
                return machine.download(array, "numpy", where).tobytes()
            elif kind == wire.FREE:
                storage = self._storage(entry[3])
                machine.free(DeviceArray(machine, storage, packed((storage.size,))), where)
            elif kind == wire.ISSUE:
                self._issue(entry, where, log)
            elif kind == wire.WAIT:
                machine.wait(log.call(entry[3], rank), where)
            elif kind == wire.SHOW:
                log.show(machine.show(self.array(entry[3]), where))
            else:
                raise WireError("an entry of a kind that there is not")
        finally:
            machine.rank = None
        return None

    def _issue(self, entry: list[Any], where: Where, log: LogState) -> None:
        _, rank, _, group, name, inputs, outputs, options, asynchronous = entry
        if (
            type(name) is not str
            or name not in rules()
            or type(group) is not int
            or not 0 <= group < len(self.machine.groups)
        ):
            raise WireError("a collective that there is not")
        if type(options) is not dict or any(type(value) is not OPTIONS.get(key) for key, value in options.items()):
            raise WireError("options that a collective does not have")
        if "colors" in options:
            options = {**options, "colors": integers(options["colors"])}
        call = Call(
            rank,
            group,
            name,
            tuple([self.array(each) for each in inputs]),
            tuple([self.array(each) for each in outputs]),
            options,
            asynchronous is True,
            where,
        )
        log.issued(call)
        self.machine.issue(call)

    def finish(self) -> None:
        """The worker says that every rank returned: nothing may be in flight."""
        for rank in self.machine.ranks:
            self.machine.finish_rank(rank)

    def abandon(self) -> None:
        """The run failed."""
        self.machine.abandon()

    def forget(self) -> None:
        """The worker is gone, and with it all that only it held."""
        self.storages.clear()
        self._keys.clear()
        self.machine.settle()


class LogState:
    """What the entries of one worker count: storages, asynchronous calls, shown arrays."""

    def __init__(self) -> None:
        self._keys = 0
        self._issued = 0
        self._calls: dict[int, Call] = {}
        self.shown: dict[int, str] = {}
        self._shown = 0
        self._acts = 0

    def count(self) -> None:
        """One act more in this call."""
        self._acts += 1
        if self._acts > ACTS_LIMIT:
            raise ComputeLimitError(
                f"more than {ACTS_LIMIT:,} operations on the devices in one call; does every loop end?"
            )

    def new_key(self) -> int:
        self._keys += 1
        return self._keys

    def issued(self, call: Call) -> None:
        self._issued += 1
        if call.asynchronous:
            self._calls[self._issued] = call

    def call(self, number: Any, rank: int) -> Call:
        call = self._calls.pop(number, None) if type(number) is int else None
        if call is None or call.rank != rank:
            raise WireError("a wait for a call that there is not")
        return call

    def catch_up(self, counts: list[Any]) -> None:
        """The call is over. Count on from where the worker is: after a failure some of its entries were passed over."""
        self._acts = 0
        keys, issued, shown = integers(counts)
        self._keys = max(self._keys, keys)
        self._issued = max(self._issued, issued)
        self._shown = max(self._shown, shown)

    def show(self, text: str) -> None:
        self._shown += 1
        if len(self.shown) < SHOWN_LIMIT:
            self.shown[self._shown] = text


def _where(data: Any) -> Where:
    if data is None:
        return NOWHERE
    if type(data) is not list or len(data) != 2 or type(data[0]) is not str or type(data[1]) is not int:
        raise WireError("not a place")
    return Where(data[0][:200], data[1])


def _shape(data: Any) -> tuple[int, ...]:
    shape = integers(data, MOST_DIMENSIONS)
    if shape and min(shape) < 0:
        raise WireError("not a shape")
    return shape


def _dtype(name: Any) -> np.dtype[Any]:
    found = DTYPES.get(name) if type(name) is str else None
    if found is None:
        raise WireError("not a dtype of the devices")
    return found


def _host_array(blob: bytes, shape: tuple[int, ...], dtype: np.dtype[Any], materialize: bool) -> npt.NDArray[Any]:
    if not materialize:
        if blob:
            raise WireError("values for a cluster without data")
        check_shape(shape)
        return np.broadcast_to(np.zeros((), dtype), shape)
    if len(blob) != math.prod(shape) * dtype.itemsize:
        raise WireError("an upload of another size than its shape")
    # NumPy's loops rely on it.
    if dtype.kind == "b" and blob.translate(None, b"\0\1"):
        raise WireError("a bool that is neither true nor false")
    return np.frombuffer(blob, dtype).reshape(shape)


def _parameters(data: Any) -> dict[str, Any]:
    if type(data) is not dict:
        raise WireError("not parameters")
    for key, value in data.items():
        if type(value) not in PARAMETERS.get(key, ()):
            raise WireError(f"a parameter of type {type(value).__name__} that no operation has")
    named = dict(data)
    if type(named.get("axis")) is list:
        named["axis"] = integers(named["axis"], MOST_DIMENSIONS)
    if named.get("dtype") is not None:
        _dtype(named["dtype"])
    if "indices" in named:
        integers(named["indices"])
    if "widths" in named and not all(len(pair) == 2 for pair in map(_shape, named["widths"])):
        raise WireError("not pad widths")
    return named


# What an entry that no honest worker posts may raise here, besides errors of the devices.
LIES = (WireError, TypeError, ValueError, KeyError, IndexError, AssertionError, ArithmeticError)

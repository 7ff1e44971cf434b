"""The worker's side: the learner's files, the cluster's front, and a log of what the learner's code does.

Nothing here is trusted by anyone. It serves the learner errors at their own line at once, and posts each act to the
trusted side, which does everything again and believes only that.
"""

from __future__ import annotations

import contextlib
import difflib
import faulthandler
import gc
import importlib.abc
import inspect
import io
import signal
import socket
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import PurePath
from types import ModuleType
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt
from greenlet import GreenletExit

from grader.authoring.trouble import Trouble, describe
from grader.devices import Back, Cluster, DeviceArray, RankModules
from grader.devices.collectives import Call
from grader.devices.errors import Where
from grader.devices.layout import Layout
from grader.devices.operations import Operation, Scalar, table
from grader.devices.storage import Storage
from grader.results import Place

from . import wire
from .fences import Missing

BATCH = 64
# Integers in an entry that crosses by itself: with others like it a frame would grow too long.
LARGE = 1000


def prepare() -> None:
    """Do once, before workers are forked, what each of them would do."""
    from grader.devices import numpy_api

    numpy_api.functions()
    table()
    gc.collect()
    gc.freeze()


class Stranger(Exception):
    """A trouble found by the worker itself rather than raised by the learner's code."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.text)
        self.trouble = trouble


class Log:
    """Entries on their way to the trusted side, in batches."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._frames = wire.Frames()
        self._entries: list[list[Any]] = []
        self.keys = 0

    def post(self, entry: list[Any], blob: bytes = b"") -> None:
        self._entries.append(entry)
        if blob or len(self._entries) >= BATCH:
            self.flush(blob)

    def flush(self, blob: bytes = b"") -> None:
        if self._entries:
            entries, self._entries = self._entries, []
            wire.send(self._connection, entries, blob)

    def new_key(self) -> int:
        """The number of a new storage: both sides count alike."""
        self.keys += 1
        return self.keys

    def receive(self, *, soon: bool = False) -> tuple[bytes, bytes] | None:
        return wire.receive(self._connection, self._frames, soon=soon)

    def ask(self, entry: list[Any]) -> tuple[bytes, bytes]:
        """Post an entry and wait for its answer."""
        self.post(entry)
        self.flush()
        answer = self.receive(soon=True)
        if answer is None:
            raise SystemExit
        return answer


def reference(array: DeviceArray) -> list[Any]:
    """An array as the number of its storage and its layout."""
    layout = array.layout
    if layout.contiguous:
        return [array.storage.key, layout.offset, list(layout.shape)]
    return [array.storage.key, layout.offset, list(layout.shape), list(layout.strides)]


def _place(where: Where | None) -> list[Any] | None:
    return None if where is None else [where.file, where.line]


def _number(scalar: Scalar) -> Any:
    value = scalar.value
    if type(value) is int and not -(2**63) <= value < 2**63:
        value = float(value)
    return value if scalar.dtype is None else [scalar.dtype.str, value]


def _plain(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {key: list(value) if isinstance(value, tuple) else value for key, value in parameters.items()}


class PostingBack(Back):
    """A back that keeps no data and posts every act."""

    keeps_events = False

    def __init__(self, log: Log) -> None:
        self._log = log
        self._shown = 0
        self._calls = 0
        self._numbers: dict[int, int] = {}
        self.storages: WeakValueDictionary[int, Storage] = WeakValueDictionary()

    def name(self, storage: Storage) -> None:
        """Number a new storage, as the trusted side will."""
        storage.key = self._log.new_key()
        self.storages[storage.key] = storage

    def counts(self) -> tuple[int, int, int]:
        """Storages, collective calls and shown arrays so far."""
        return self._log.keys, self._calls, self._shown

    def create(self, array: DeviceArray, fill: int | None, where: Where | None) -> None:
        storage = array.storage
        self.name(storage)
        self._log.post([wire.CREATE, storage.rank, _place(where), list(array.shape), storage.dtype.str, fill])

    def compute(
        self,
        rank: int,
        operation: Operation,
        inputs: Sequence[DeviceArray | Scalar],
        parameters: Mapping[str, Any],
        output: DeviceArray,
        new: bool,
        where: Where | None,
    ) -> None:
        if new:
            self.name(output.storage)
        operands = [reference(each) if isinstance(each, DeviceArray) else _number(each) for each in inputs]
        target = None if new else reference(output)
        named = _plain(parameters)
        if "widths" in named:
            named["widths"] = [list(pair) for pair in named["widths"]]
        large = len(named.get("indices", ())) > LARGE
        if large:
            self._log.flush()
        self._log.post([wire.COMPUTE, rank, _place(where), operation.name, operands, named, target])
        if large:
            self._log.flush()

    def upload(self, array: DeviceArray, host: npt.NDArray[Any], where: Where | None) -> None:
        storage = array.storage
        self.name(storage)
        content = np.ascontiguousarray(host).tobytes() if array.machine.materialize else b""
        self._log.post([wire.UPLOAD, storage.rank, _place(where), list(array.shape), storage.dtype.str], content)

    def download(self, array: DeviceArray, where: Where | None) -> npt.NDArray[Any]:
        _, content = self._log.ask([wire.DOWNLOAD, array.storage.rank, _place(where), reference(array)])
        return np.frombuffer(bytearray(content), array.dtype).reshape(array.shape)

    def show(self, array: DeviceArray, where: Where | None) -> str:
        # The trusted side puts the values into the report; here they have no bytes.
        self._shown += 1
        self._log.post([wire.SHOW, array.storage.rank, _place(where), reference(array)])
        return wire.marker(self._shown)

    def release(self, storage: Storage, freed: bool, where: Where | None) -> None:
        if freed:
            self._log.post([wire.FREE, storage.rank, _place(where), storage.key])
        else:
            self._log.post([wire.DROP, storage.key])

    def issue(self, call: Call) -> None:
        self._calls += 1
        if call.asynchronous:
            self._numbers[id(call)] = self._calls
        self._log.post(
            [
                wire.ISSUE,
                call.rank,
                _place(call.where),
                call.group,
                call.name,
                [reference(array) for array in call.inputs],
                [reference(array) for array in call.outputs],
                _plain(call.parameters),
                call.asynchronous,
            ]
        )

    def wait(self, call: Call, where: Where | None) -> None:
        self._log.post([wire.WAIT, call.rank, _place(where), self._numbers.pop(id(call))])


class ImportGuard(importlib.abc.MetaPathFinder):
    """Says plainly what a submission may import. A courtesy, not a fence."""

    def __init__(self, allowed: Sequence[str]) -> None:
        self._allowed = tuple(allowed)

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> None:
        top = fullname.partition(".")[0]
        if top in sys.stdlib_module_names or any(
            f"{fullname}.".startswith(f"{each}.") or f"{each}.".startswith(f"{fullname}.") for each in self._allowed
        ):
            return
        raise ModuleNotFoundError(
            f"this exercise imports the standard library, your own files"
            f"{''.join(f', {each}' for each in self._allowed)}, and not {fullname}"
        )


class Session(wire.Decoder):
    """One learner's files and the clusters that their functions run on."""

    def __init__(self, log: Log, setup: Mapping[str, Any]) -> None:
        self._log = log
        self._homes: Mapping[str, str] = setup["homes"]
        self._module_names = {name: PurePath(home).stem for name, home in self._homes.items()}
        files: Mapping[str, bytes] = setup["files"]
        self._learner_file: Callable[[str], bool] = files.__contains__
        sources = {PurePath(name).stem: (name, text) for name, text in {**files, **setup["given"]}.items()}
        self._modules = RankModules(sources)
        sys.meta_path.insert(0, ImportGuard(setup["imports"]))
        self._modules.__enter__()
        self._back = PostingBack(log)
        self._clusters: dict[int, Cluster] = {}
        self._cluster: Cluster | None = None
        self._rank = 0
        self._kept: list[DeviceArray] = []

    # What arguments refer to

    def array(self, reference: Any) -> DeviceArray:
        assert self._cluster is not None
        key, offset, shape, strides = reference
        layout = Layout(offset, tuple(shape), tuple(strides))
        return DeviceArray(self._cluster.machine, self._back.storages[key], layout)

    def group(self, number: int) -> Any:
        assert self._cluster is not None
        return self._cluster.group(number, self._rank)

    def given(self, module: str, name: str, fields: list[Any]) -> Any:
        return getattr(self._modules.load(module), name)(*fields)

    # Calls

    def serve(self, message: list[Any]) -> None:
        """Do what one message of the trusted side asks, and post how it went."""
        self._kept.clear()
        act = self._call if message[0] == "call" else self._run
        try:
            outcome = [wire.RETURN, act(*message[1:])]
        except Stranger as error:
            outcome = [wire.RAISE, wire.trouble_to_plain(error.trouble)]
        except BaseException as error:
            trouble = describe(error, message[1], "raised", self._learner_file, _rank_of(error))
            outcome = [wire.RAISE, wire.trouble_to_plain(trouble)]
            with contextlib.suppress(BaseException):
                traceback.clear_frames(error.__traceback__)
                error.__traceback__ = error.__context__ = error.__cause__ = None
            del error
            gc.collect(1)
        self._log.post(outcome)
        with contextlib.suppress(Exception):
            sys.stdout.flush()
        if self._cluster is not None:
            self._cluster.machine.settle()
            self._cluster = None
        self._log.post([wire.END, *self._back.counts()])
        self._log.flush()

    def _call(self, name: str, arguments: bytes) -> bytes:
        args, kwargs = wire.decode_call(arguments, self)
        return self._packed(name, _invoke(name, self._homes[name], self._function(name), args, kwargs))

    def _run(
        self,
        name: str,
        number: int,
        options: tuple[int, float, float, bool, list[int] | None],
        storages: list[tuple[int, int, int, str, bool]],
        freed: list[int],
        forgotten: list[int],
        arguments: list[bytes],
    ) -> bytes:
        for each in forgotten:
            self._clusters.pop(each, None)
        cluster = self._clusters.get(number)
        if cluster is None:
            size, capacity, flops, materialize, ranks = options
            cluster = self._clusters[number] = Cluster(
                size,
                capacity=capacity,
                flops=flops,
                materialize=materialize,
                ranks=ranks,
                back=self._back,
                learner_file=self._learner_file,
            )
        self._cluster = cluster
        for key in freed:
            known = self._back.storages.get(key)
            if known is not None and not known.freed:
                cluster.machine.memory[known.rank].release(known, True, None)
        adopted = []
        for key, rank, length, dtype, is_freed in storages:
            storage = cluster.machine.adopt(rank, length, np.dtype(dtype))
            if is_freed:
                cluster.machine.memory[rank].release(storage, True, None)
            storage.key = key
            self._back.storages[key] = storage
            adopted.append(storage)
        bodies = [
            partial(self._body, name, rank, packed) for rank, packed in zip(cluster.ranks, arguments, strict=True)
        ]
        results = cluster.run_each(bodies, self._modules.switch)
        return self._packed(name, results)

    def _body(self, name: str, rank: int, arguments: bytes) -> Any:
        self._rank = rank
        args, kwargs = wire.decode_call(arguments, self)
        try:
            result = _invoke(name, self._homes[name], self._function(name), args, kwargs)
            self._keep(args)
            return result
        except Exception as error:
            with contextlib.suppress(Exception):
                error.failed_rank = rank  # type: ignore[attr-defined]
            raise

    def _keep(self, args: tuple[Any, ...]) -> None:
        """Keep what the function put into its caller's dicts and lists: on the other side they live on."""
        for each in args:
            if type(each) is dict or type(each) is list:
                inside = each.values() if type(each) is dict else each
                self._kept += [value for value in inside if type(value) is DeviceArray and value.storage.key > 0]

    def _packed(self, name: str, value: Any) -> bytes:
        packed = wire.pack(wire.encode(value, reference))
        if len(packed) > wire.HEADER_LIMIT // 2:
            raise Stranger(Trouble("returned", name, f"{name} returned a value too large to look at"))
        return packed

    def _function(self, name: str) -> Callable[..., Any]:
        home = self._homes[name]
        try:
            module = self._modules.load(self._module_names[name])
        except GreenletExit:
            raise
        except BaseException as error:
            raise Stranger(describe(error, name, "import", self._learner_file)) from None
        found: Callable[..., Any] | None = module.__dict__.get(name)
        if found is None or not callable(found):
            raise Stranger(Trouble("missing", name, _missing(name, home, module), where=Place(home, 1)))
        return found


def _invoke(name: str, home: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a learner's function; tell apart arguments that do not fit from a TypeError inside."""
    try:
        return function(*args, **kwargs)
    except TypeError as error:
        entered = error.__traceback__ is None or error.__traceback__.tb_next is not None
        parameters = None if entered else _unfit(function, args, kwargs)
        if parameters is None:
            raise
        line = getattr(getattr(function, "__code__", None), "co_firstlineno", 1)
        raise Stranger(Trouble("signature", name, f"{name}({parameters})", where=Place(home, line))) from None


def _unfit(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    """The function's parameters, if the arguments do not fit them."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return None
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        return ", ".join(signature.parameters)
    return None


def _rank_of(error: BaseException) -> int | None:
    with contextlib.suppress(BaseException):
        rank = error.failed_rank  # type: ignore[attr-defined]
        return rank if type(rank) is int else None
    return None


def _missing(name: str, home: str, module: ModuleType) -> str:
    defined = [each for each, value in module.__dict__.items() if callable(value) and not each.startswith("_")]
    text = f"{home} defines no function {name}"
    if not defined:
        return f"{text}; it defines no function at all"
    close = {each.lower(): each for each in defined}.get(name.lower()) or next(
        iter(difflib.get_close_matches(name, defined, 1)), None
    )
    if close:
        return f"{text}; did you mean {close[:100]}?"
    return f"{text}; it defines {', '.join(each[:100] for each in defined[:10])}"


def _no_debugger(*_arguments: object, **_options: object) -> None:
    raise RuntimeError("breakpoint() stops in a script of your own, not while grading; take it out to grade")


def main(connection: socket.socket, trace: int, fences: Sequence[str], missing: Sequence[Missing]) -> None:
    """Serve the trusted side until it closes the wire. ``trace`` is where crashes and hangs write their stack."""
    faulthandler.enable(trace, all_threads=False)
    faulthandler.register(signal.SIGUSR1, trace, all_threads=False)
    sys.stdout = sys.stderr = io.TextIOWrapper(
        io.FileIO(1, "w", closefd=False), encoding="utf-8", errors="backslashreplace", line_buffering=True
    )
    sys.argv = [""]
    sys.breakpointhook = _no_debugger
    log = Log(connection)
    log.post(["ready", list(fences), [[each.name, each.reason] for each in missing]])
    log.flush()
    setup = log.receive()
    if setup is None:
        return
    session = Session(log, wire.unpack(setup[0]))
    while (frame := log.receive()) is not None:
        session.serve(wire.unpack(frame[0]))

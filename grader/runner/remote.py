"""Calls from the trusted side to a learner's functions, and the ``student`` whose functions they are."""

from __future__ import annotations

import re
import select
import socket
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from grader.authoring.local import check_return
from grader.authoring.signatures import Signature
from grader.authoring.trouble import Kind, Trouble, place_of, student_error
from grader.devices import Cluster, DeviceArray
from grader.devices.cluster import Arguments
from grader.devices.errors import DeviceError
from grader.devices.scheduler import in_a_rank
from grader.results import MissingFence, Place

from . import wire, zygote
from .allowance import Allowance, Lost
from .handle import CHUNK, Setup, Worker
from .listener import Listener
from .output import Output
from .replay import LIES, LogState, Replay

FLOOD = 8 * 2**20
NOTHING = wire.pack(None)
TIMEOUTS_ALLOWED = 2
SIGNALS = {-6: "SIGABRT", -7: "SIGBUS", -8: "SIGFPE", -4: "SIGILL", -9: "SIGKILL", -11: "SIGSEGV", -15: "SIGTERM"}


class Link:
    """Calls of a learner's functions, each in a worker that lives until it fails."""

    def __init__(
        self,
        control: socket.socket,
        setup: Setup,
        signatures: Mapping[str, Signature],
        keep_alive: Callable[[], None],
    ) -> None:
        self._control = control
        self._keep_alive = keep_alive
        self._setup = setup
        self._signatures = signatures
        self._worker: Worker | None = None
        self._log = LogState()
        self._replays: weakref.WeakKeyDictionary[Cluster, Replay] = weakref.WeakKeyDictionary()
        self._clusters = 0
        self._adopted = 0
        self._forgotten: list[int] = []
        self._timeouts: dict[str, int] = {}
        self._spent = 0.0
        self._given = frozenset(name.removesuffix(".py") for name in setup.given)
        self.fences: tuple[str, ...] = ()
        self.missing_fences: tuple[MissingFence, ...] = ()
        self.last_call: str | None = None
        self.last_world_size: int | None = None
        self._output = Output(setup.limits.output_kb * 2**10)

    def start(self) -> None:
        """Have a worker ready."""
        if self._worker is not None and not self._worker.is_ready():
            self._end(self._worker, zygote.KILL)
        if self._worker is None:
            self._worker = Worker(self._control, self._setup)
            self.fences, self.missing_fences = self._worker.fences, self._worker.missing_fences
            self._log = LogState()

    def begin_case(self) -> None:
        """A new test case: nothing was called or printed yet."""
        self._output = Output(self._setup.limits.output_kb * 2**10)
        self._log.shown.clear()
        self.last_call = self.last_world_size = None

    def output(self) -> str | None:
        """What the learner's code printed in this test case."""
        return self._output.text(self._log.shown)

    def signature(self, name: str) -> Signature:
        return self._signatures.get(name) or Signature(name, ())

    def renew(self) -> None:
        """Have the next call meet a new worker, which knows nothing of the calls before it."""
        if self._worker is not None:
            self._end(self._worker, zygote.KILL)

    close = renew

    def _end(self, worker: Worker, order: bytes) -> tuple[int | None, str]:
        self._worker = None
        for each in self._replays.values():
            each.abandon()
            each.forget()
        self._replays.clear()
        return worker.kill(order)

    # Calls

    def call(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a function once, without ranks."""
        self._begin(name, [(args, kwargs)], None)
        packed = wire.encode_call((args, kwargs), _no_array, self._given)
        value = self._in_a_worker(lambda: self._exchange(name, ["call", name, packed], None))
        check_return(name, self._signatures.get(name), value, None)
        return value

    def run(self, name: str, cluster: Cluster, calls: Sequence[Arguments]) -> list[Any]:
        """Call a function once per rank of a cluster."""
        self._begin(name, calls, cluster.world_size)
        values = self._in_a_worker(lambda: self._run(name, cluster, calls))
        if type(values) is not list or len(values) != len(calls):
            raise student_error(Trouble("protocol", name, "the worker's answer makes no sense"))
        for rank, value in zip(cluster.ranks, values, strict=True):
            check_return(name, self._signatures.get(name), value, rank)
        return values

    def _in_a_worker(self, attempt: Callable[[], Any]) -> Any:
        """Make an attempt in a worker; and in a new one, if the worker is gone without a word.

        Then it may have died of what was called before.
        """
        self.start()
        printed = self._output.copy()
        try:
            return attempt()
        except _Wordless:
            self._output = printed
            self.start()
            return attempt()

    def _run(self, name: str, cluster: Cluster, calls: Sequence[Arguments]) -> Any:
        replay = self._replays.get(cluster)
        if replay is None:
            self._clusters += 1
            replay = self._replays[cluster] = Replay(cluster, self._clusters)
            weakref.finalize(cluster, self._forgotten.append, self._clusters)
        machine = cluster.machine
        new: list[list[Any]] = []

        def reference(array: DeviceArray) -> list[Any]:
            if array.machine is not machine:
                raise TypeError("an array of another cluster is passed to this run")
            self._adopted -= 1
            key = replay.key(array.storage, new, self._adopted)
            return [key, array.layout.offset, list(array.layout.shape), list(array.layout.strides)]

        freed = replay.freed()
        packed = [wire.encode_call(call, reference, self._given) for call in calls]
        forgotten, self._forgotten[:] = list(self._forgotten), []
        ranks = None if len(machine.ranks) == machine.world_size else list(machine.ranks)
        options = [machine.world_size, machine.capacity, machine.flops, machine.materialize, ranks]
        message = ["run", name, replay.number, options, new, freed, forgotten, packed]
        return self._exchange(name, message, replay)

    def _begin(self, name: str, calls: Sequence[Arguments], world_size: int | None) -> None:
        if in_a_rank():
            raise TypeError(
                f"{name} is called inside a function that runs per rank; pass student.{name} to cluster.run"
            )
        # In words at once: the arguments would keep arrays alive.
        self.last_call = self.signature(name).call_text(calls)
        self.last_world_size = world_size
        if name not in self._setup.homes:
            raise student_error(Trouble("missing", name, f"{name} was not handed in"))
        limit = self._setup.limits.total_seconds
        if self._spent >= limit:
            text = f"not called: the calls before it took {limit:g} s, the limit for all calls of a submission"
            raise student_error(Trouble("timeout", name, text))
        if self._timeouts.get(name, 0) >= TIMEOUTS_ALLOWED:
            text = f"not called: {name} ran out of time {TIMEOUTS_ALLOWED} times already"
            raise student_error(Trouble("timeout", name, text))

    def _exchange(self, name: str, message: list[Any], replay: Replay | None) -> Any:
        worker = self._worker
        assert worker is not None
        worker.calls += 1
        self._heard = False
        allowance = Allowance(self._setup.limits, worker.cpu_seconds)
        start = time.monotonic()
        self._printed = 0
        self._keep_alive()
        try:
            outcome = self._converse(worker, name, message, replay, allowance)
        except Lost as lost:
            if lost.kind == "died" and worker.calls > 1 and not self._heard:
                self._end(worker, zygote.END)
                raise _Wordless from None
            raise student_error(self._bury(lost.kind, name, lost.text, lost.used)) from None
        except DeviceError as error:
            # Only the trusted side saw it: what follows in the worker rests on something that did not happen.
            where = place_of(error.where)
            trouble = self._bury("raised", name, error.message)
            bases = tuple(base.__name__ for base in type(error).__mro__)
            raise student_error(
                Trouble("raised", name, trouble.text, type(error).__name__, bases, error.rank, where)
            ) from None
        except LIES as error:
            text = f"the worker's log makes no sense ({type(error).__name__}: {error})"
            raise student_error(self._bury("protocol", name, text)) from None
        finally:
            self._spent += time.monotonic() - start
        if isinstance(outcome, Trouble):
            raise student_error(outcome)
        return outcome

    def _converse(
        self, worker: Worker, name: str, message: list[Any], replay: Replay | None, allowance: Allowance
    ) -> Any:
        self._give(worker, _frame(wire.pack(message)), allowance)
        answer = partial(self._answer, worker, allowance)
        listener = Listener(name, replay, self._log, answer)
        while not listener.over:
            for header, blob in self._frames(worker, allowance, soon=listener.answered_last):
                self._heard = True
                for entry in wire.unpack(header):
                    allowance.check()
                    listener.take(entry, blob)
        self._take_output(worker)
        return listener.outcome

    def _answer(self, worker: Worker, allowance: Allowance, content: bytes) -> None:
        self._give(worker, _frame(NOTHING, content), allowance)

    def _give(self, worker: Worker, content: bytes, allowance: Allowance) -> None:
        """Send the worker something; one that does not take it is held to its time."""
        sent = 0
        while sent < len(content):
            try:
                sent += worker.wire.send(memoryview(content)[sent:] if sent else content, socket.MSG_DONTWAIT)
            except BlockingIOError:
                allowance.check()
                select.select([], [worker.wire], [], allowance.left)
            except OSError:
                raise Lost("died", "") from None

    def _frames(self, worker: Worker, allowance: Allowance, *, soon: bool) -> list[tuple[bytes, bytes]]:
        """The frames that have come; waits for one at least. ``soon``: the worker has just been answered."""
        data = self._received(worker, wire.look) if soon else None
        while True:
            allowance.check()
            if data is not None and (found := worker.frames.take(data)):
                return found
            ready = dict(worker.poll.poll(allowance.left * 1000))
            if worker.output in ready and not self._take_output(worker) and ready[worker.output] & select.POLLHUP:
                # The learner's code closed its output: there will be no more of it.
                worker.poll.unregister(worker.output)
            data = self._received(worker, _available) if worker.wire.fileno() in ready else None

    def _received(self, worker: Worker, read: Callable[[socket.socket], bytes | None]) -> bytes | None:
        try:
            data = read(worker.wire)
        except OSError:  # reset, where the worker left unread what it was sent
            data = b""
        if data == b"":
            raise Lost("died", "")
        return data

    def _take_output(self, worker: Worker) -> bool:
        """Keep what there is of the output. Returns whether there was any."""
        before = self._printed
        while data := worker.read_output():
            self._output.add(data)
            self._printed += len(data)
            if self._printed > FLOOD:
                raise Lost("flood", f"printed more than {FLOOD // 2**20} MiB in one call")
        return self._printed > before

    def _bury(self, kind: Kind, name: str, text: str, used: str = "") -> Trouble:
        """End the worker after a failure, and say where its code was."""
        worker = self._worker
        assert worker is not None
        stack = worker.stack() if kind == "timeout" else ""
        status, crash = self._end(worker, zygote.END if kind == "died" else zygote.KILL)
        where = self._innermost(stack + crash)
        if kind == "timeout":
            self._timeouts[name] = self._timeouts.get(name, 0) + 1
            text = f"{name} was stopped {text}, the limit for one call"
        elif kind == "died" and not text:
            text = _obituary(status)
        return Trouble(kind, name, text, where=where, used=used)

    def _innermost(self, stack: str) -> Place | None:
        for file, line in re.findall(r'File "([^"]*)", line ([0-9]{1,7})\b', stack):
            if file in self._setup.files and int(line) <= self._setup.files[file].count(b"\n") + 1:
                return Place(file, int(line))
        return None


def _frame(header: bytes, blob: bytes = b"") -> bytes:
    if len(header) > wire.HEADER_LIMIT:
        raise ValueError(f"a call with {len(header):,} bytes of arguments; {wire.HEADER_LIMIT:,} may cross at once")
    return wire.LENGTHS.pack(len(header), len(blob)) + header + blob


def _available(connection: socket.socket) -> bytes:
    return connection.recv(CHUNK)


class _Wordless(Exception):
    """A worker that was there before this call, and is gone without a word on it."""


def _obituary(status: int | None) -> str:
    if status is None:
        return "the code closed its connection to the grader"
    if status == -9:
        return "the code's process was killed, as a system does that runs out of memory"
    if status < 0:
        return f"the code crashed the Python interpreter ({SIGNALS.get(status, f'signal {-status}')})"
    return f"the code ended its process with exit code {status} instead of returning"


def _no_array(array: DeviceArray) -> list[Any]:
    raise TypeError("an array of a device is passed to a call outside of cluster.run")


class RemoteStudent:
    """The learner's functions, as a suite's ``student``: each runs in the worker."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def __getattr__(self, name: str) -> RemoteFunction:
        if name.startswith("_"):
            raise AttributeError(name)
        return RemoteFunction(self._link, name)


class RemoteFunction:
    """One function of a RemoteStudent."""

    def __init__(self, link: Link, name: str) -> None:
        self._link = link
        self._name = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._link.call(self._name, args, kwargs)

    def run_on(self, cluster: Cluster, calls: Sequence[Arguments]) -> list[Any]:
        return self._link.run(self._name, cluster, calls)

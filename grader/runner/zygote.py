"""A clean interpreter from which workers are forked. It was started by exec and never saw a suite.

The trusted side asks for a worker by sending, over the control socket, the four descriptors that it will have: wire,
output, trace, and the monitor, which stays here. When the monitor says "k" or closes, the worker and its whole process
group are killed; "e" gives it a moment to end by itself. On "t" the worker's stack is written to the trace, on "c" the
monitor tells the processor time used so far. The worker's end is reported on the monitor. Strict fences are raised from
outside, too, by a watcher: a process between the clean interpreter and the worker, which does all this in its place.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import asdict, astuple, dataclass
from functools import cache
from itertools import pairwise
from resource import struct_rusage
from typing import NoReturn

from .fences import FenceError, Limits, Missing, Prepared, enclose, prepare, raise_fences, readable_paths, survey

DESCRIPTORS = 4
KILL, END, TRACE, CPU = b"k", b"e", b"t", b"c"
END_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Ends:
    """The descriptors that come with a request for a worker: what it has, and the monitor of whoever watches it."""

    wire: int
    output: int
    trace: int
    monitor: int


@dataclass(frozen=True, slots=True)
class Plan:
    """What a worker will be fenced in by, what cannot be had of that here, what it may use and read."""

    fences: tuple[str, ...]
    missing: tuple[Missing, ...]
    limits: Limits
    readable: tuple[str, ...]
    prepared: Prepared


def main() -> None:
    """Serve workers over the control socket whose descriptor is the last argument, until it closes."""
    # What workers need is imported once, here.
    from . import worker

    control = socket.socket(fileno=int(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    worker.prepare()
    surveyed, prepared = cache(survey), cache(prepare)
    # What nearly every worker needs is found out while nobody waits for it.
    with contextlib.suppress(FenceError):  # Whoever asks for a worker is told.
        prepared(surveyed(False)[0], readable_paths(()))
    watch = Watch()
    while watch.until(control):
        # Requests of several senders do not run together: descriptors are a barrier in the stream, see unix(7).
        message, descriptors, _, _ = socket.recv_fds(control, 2**16, DESCRIPTORS)
        if not message:
            break
        asked = json.loads(message)
        ends = Ends(*descriptors)
        with _explained(ends.output):
            fences, missing = surveyed(asked["strict"])
            readable = readable_paths(asked["imports"])
            plan = Plan(fences, missing, Limits(**asked["limits"]), readable, prepared(fences, readable))
            (watch.start_enclosed if asked["strict"] else watch.start)(plan, ends)
        for descriptor in descriptors:
            os.close(descriptor)
    watch.until(None)


@contextlib.contextmanager
def _explained(output: int) -> Iterator[None]:
    """Say what kept a worker from starting where the trusted side looks for it."""
    try:
        yield
    except FenceError as error:
        with contextlib.suppress(OSError):
            os.write(output, str(error).encode())


class _Worker:
    """A worker that runs, and what was decided about it."""

    def __init__(self, monitor: socket.socket) -> None:
        self.monitor = monitor
        self.killed = False
        self.deadline: float | None = None  # when it is killed, if it has not ended by itself


class Watch:
    """Sees workers to their end, which is that of their monitors at the latest."""

    def __init__(self) -> None:
        self._workers: dict[int, _Worker] = {}
        self._watchers: set[int] = set()
        self._wakeup, wakeup = os.pipe()
        for end in (self._wakeup, wakeup):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(wakeup, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def start(self, plan: Plan, ends: Ends, watcher: int | None = None) -> None:
        """Fork a worker. ``watcher`` is the process that enclosed it."""
        process = os.fork()
        if process == 0:
            _become_worker(plan, watcher, ends)
        self._workers[process] = _Worker(socket.socket(fileno=os.dup(ends.monitor)))

    def start_enclosed(self, plan: Plan, ends: Ends) -> None:
        """Fork a process that starts the worker and sees to it."""
        process = os.fork()
        if process == 0:
            _watch_enclosed(plan, ends)
        self._watchers.add(process)

    def until(self, control: socket.socket | None) -> bool:
        """Do what monitors say, until there is something at ``control``; without it, until no worker is left."""
        while self._workers or control is not None:
            waiting = {each.monitor: process for process, each in self._workers.items() if not each.killed}
            inputs: list[int | socket.socket] = [self._wakeup, *waiting]
            if control is not None:
                inputs.append(control)
            ready, _, _ = select.select(inputs, [], [], self._patience())
            for monitor in waiting.keys() & set(ready):
                self._obey(waiting[monitor])
            self._kill_overdue()
            if self._wakeup in ready:
                self._reap()
            if control in ready:
                return True
        return False

    def _patience(self) -> float | None:
        """How long nothing has to be done by itself."""
        deadlines = [each.deadline for each in self._workers.values() if each.deadline is not None]
        return max(min(deadlines) - time.monotonic(), 0) if deadlines else None

    def _obey(self, process: int) -> None:
        worker = self._workers[process]
        try:
            order = worker.monitor.recv(1)
        except OSError:
            order = b""
        if order == TRACE:
            os.kill(process, signal.SIGUSR1)
        elif order == CPU:
            with contextlib.suppress(OSError):
                worker.monitor.sendall(json.dumps({"cpu": _cpu_seconds(process)}).encode())
        elif order == END:
            worker.deadline = time.monotonic() + END_SECONDS
        else:
            self._kill(process)

    def _kill_overdue(self) -> None:
        for process, worker in self._workers.items():
            if worker.deadline is not None and time.monotonic() >= worker.deadline:
                self._kill(process)

    def _kill(self, process: int) -> None:
        worker = self._workers[process]
        worker.killed, worker.deadline = True, None
        kill_group(process)

    def _reap(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(self._wakeup, 2**10)
        self._watchers = {process for process in self._watchers if os.waitpid(process, os.WNOHANG) == (0, 0)}
        for process in list(self._workers):
            if os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
                kill_group(process)  # While its number is its own.
                _, status, usage = os.wait4(process, 0)
                _report(self._workers.pop(process), os.waitstatus_to_exitcode(status), usage)


def _watch_enclosed(plan: Plan, ends: Ends) -> NoReturn:
    """See to one worker in a process that is changed for it, and for good."""
    try:
        os.setpgid(0, 0)  # Outlives a zygote that is killed, and cleans up: it ends with the monitor.
        _close_all_but(0, 1, 2, *astuple(ends), plan.prepared.rules)
        watch = Watch()
        with _explained(ends.output), enclose(plan.fences, plan.limits):
            watch.start(plan, ends, os.getpid())
            for descriptor in astuple(ends):
                os.close(descriptor)
            watch.until(None)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


def _report(worker: _Worker, code: int, usage: struct_rusage) -> None:
    report = {
        # Who was ending when it was killed, ended by itself.
        "exit": None if worker.killed and code == -signal.SIGKILL else code,
        "cpu": usage.ru_utime + usage.ru_stime,
        "memory_kb": usage.ru_maxrss,
    }
    with worker.monitor as monitor, contextlib.suppress(OSError):
        monitor.sendall(json.dumps(report).encode())


def _cpu_seconds(process: int) -> float | None:
    """The processor time that all threads of a process have used so far, where the system tells."""
    try:
        return time.clock_gettime(~process << 3 | 2)  # The clock of a process, as clock_getcpuclockid(3) makes it.
    except OSError:
        return None


def kill_group(process: int) -> None:
    """Kill a process, and its group if it leads one."""
    # The group may be gone, or not be there yet: the worker leads it from its first act on.
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            kill(process, signal.SIGKILL)


def _become_worker(plan: Plan, watcher: int | None, ends: Ends) -> NoReturn:
    from . import worker

    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(ends.output, 1)
        os.dup2(ends.output, 2)
        _close_all_but(0, 1, 2, ends.wire, ends.trace, plan.prepared.rules)
        os.environ.clear()
        os.chdir("/")
        with _explained(1):
            raise_fences(plan.fences, plan.limits, plan.readable, watcher, prepared=plan.prepared)
            worker.main(socket.socket(fileno=ends.wire), ends.trace, plan.fences, plan.missing)
        os._exit(0)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.write(2, f"worker: {type(error).__name__}: {error}\n".encode())
        os._exit(70)


def _close_all_but(*kept: int | None) -> None:
    for before, after in pairwise([*sorted(each for each in kept if each is not None), os.sysconf("SC_OPEN_MAX")]):
        os.closerange(before + 1, after)


def request(limits: Limits, *, strict: bool = False, imports: Sequence[str] = ()) -> bytes:
    """The message that asks for a worker: what it may use, how it is to be fenced in, and what it may import."""
    return json.dumps({"limits": asdict(limits), "strict": strict, "imports": list(imports)}).encode()


if __name__ == "__main__":
    main()

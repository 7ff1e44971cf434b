"""A clean interpreter from which workers are forked. It was started by exec and never saw a suite.

The trusted side asks for a worker by sending, over the control socket, the four descriptors that it will have: wire,
output, trace, and the monitor, which stays with the watcher, a process between the clean interpreter and the worker.
When the monitor says "k" or closes, the worker and its whole process group are killed; "e" gives it a moment to end
by itself. On "t" the worker's stack is written to the trace, on "c" the monitor tells the processor time used so far.
The worker's end is reported on the monitor.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import socket
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import pairwise
from resource import struct_rusage
from typing import NoReturn

from .fences import FenceError, Limits, Missing, enclose, raise_fences, readable_paths, survey

DESCRIPTORS = 4
KILL, END, TRACE, CPU = b"k", b"e", b"t", b"c"
END_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Plan:
    """What a worker will be fenced in by, what cannot be had of that here, and what it may use and read."""

    fences: tuple[str, ...]
    missing: tuple[Missing, ...]
    limits: Limits
    readable: tuple[str, ...]


def main() -> None:
    """Serve workers over the control socket whose descriptor is the last argument, until it closes."""
    # What workers need is imported once, here.
    from . import worker

    control = socket.socket(fileno=int(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # Watchers end by themselves; nobody waits for them.
    worker.prepare()
    surveyed = cache(survey)
    # What nearly every worker needs is found out while nobody waits for it.
    surveyed(False)
    readable_paths(())
    while True:
        # Requests of several senders do not run together: descriptors are a barrier in the stream, see unix(7).
        message, descriptors, _, _ = socket.recv_fds(control, 2**16, DESCRIPTORS)
        if not message:
            return
        asked = json.loads(message)
        _, output, _, _ = descriptors
        with _explained(output):
            plan = Plan(*surveyed(asked["strict"]), Limits(**asked["limits"]), readable_paths(asked["imports"]))
            if os.fork() == 0:
                control.close()
                _watch_worker(plan, *descriptors)
        for descriptor in descriptors:
            os.close(descriptor)


@contextlib.contextmanager
def _explained(output: int) -> Iterator[None]:
    """Say what kept a worker from starting where the trusted side looks for it."""
    try:
        yield
    except FenceError as error:
        with contextlib.suppress(OSError):
            os.write(output, str(error).encode())


def _watch_worker(plan: Plan, wire: int, output: int, trace: int, monitor_descriptor: int) -> NoReturn:
    """Start a worker, and see it to its end."""
    try:
        os.setpgid(0, 0)  # Outlives a zygote that is killed, and cleans up: it ends with the monitor.
        wakeup, wakeup_end = os.pipe()
        os.set_blocking(wakeup_end, False)
        os.set_blocking(wakeup, False)
        signal.set_wakeup_fd(wakeup_end, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        watcher = os.getpid()
        with _explained(output), enclose(plan.fences, plan.limits):
            process = os.fork()
            if process == 0:
                _become_worker(plan, watcher, wire, output, trace)
            for descriptor in (wire, output, trace):
                os.close(descriptor)
            with socket.socket(fileno=monitor_descriptor) as monitor:
                _watch(process, monitor, wakeup)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


def _watch(process: int, monitor: socket.socket, wakeup: int) -> None:
    killed = False
    with selectors.DefaultSelector() as selector:
        selector.register(monitor, selectors.EVENT_READ)
        selector.register(wakeup, selectors.EVENT_READ)
        while True:
            ended, status, usage = os.wait4(process, os.WNOHANG)
            if ended:
                break
            for key, _ in selector.select():
                if key.fileobj == wakeup:
                    with contextlib.suppress(BlockingIOError):
                        os.read(wakeup, 2**10)
                    continue
                order = monitor.recv(1)
                if order == TRACE:
                    os.kill(process, signal.SIGUSR1)
                elif order == CPU:
                    monitor.sendall(json.dumps({"cpu": _cpu_seconds(process)}).encode())
                else:
                    if order == END:
                        ended, status, usage = _wait(process, END_SECONDS)
                    killed = not ended
                    if killed:
                        _kill_group(process)
                        _, status, usage = os.wait4(process, 0)
                    break
            else:
                continue
            break
    _kill_group(process)
    code = os.waitstatus_to_exitcode(status)
    report = {
        # Who was ending when it was killed, ended by itself.
        "exit": None if killed and code == -signal.SIGKILL else code,
        "cpu": usage.ru_utime + usage.ru_stime,
        "memory_kb": usage.ru_maxrss,
    }
    with contextlib.suppress(OSError):
        monitor.sendall(json.dumps(report).encode())


def _wait(process: int, seconds: float) -> tuple[int, int, struct_rusage]:
    """Wait for the end of a process, so long and no longer; as wait4."""
    end = time.monotonic() + seconds
    while not (found := os.wait4(process, os.WNOHANG))[0] and time.monotonic() < end:
        time.sleep(0.005)
    return found


def _cpu_seconds(process: int) -> float | None:
    """The processor time that all threads of a process have used so far, where the system tells."""
    try:
        return time.clock_gettime(~process << 3 | 2)  # The clock of a process, as clock_getcpuclockid(3) makes it.
    except OSError:
        return None


def _kill_group(process: int) -> None:
    # The group may be gone, or not be there yet: the worker leads it from its first act on.
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            kill(process, signal.SIGKILL)


def _become_worker(plan: Plan, watcher: int, wire: int, output: int, trace: int) -> NoReturn:
    from . import worker

    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(output, 1)
        os.dup2(output, 2)
        _close_all_but(0, 1, 2, wire, trace)
        os.environ.clear()
        os.chdir("/")
        with _explained(1):
            raise_fences(plan.fences, plan.limits, plan.readable, watcher)
            worker.main(socket.socket(fileno=wire), trace, plan.fences, plan.missing)
        os._exit(0)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.write(2, f"worker: {type(error).__name__}: {error}\n".encode())
        os._exit(70)


def _close_all_but(*kept: int) -> None:
    for before, after in pairwise([*sorted(kept), os.sysconf("SC_OPEN_MAX")]):
        os.closerange(before + 1, after)


def request(limits: Limits, *, strict: bool = False, imports: Sequence[str] = ()) -> bytes:
    """The message that asks for a worker: what it may use, how it is to be fenced in, and what it may import."""
    return json.dumps({"limits": asdict(limits), "strict": strict, "imports": list(imports)}).encode()


if __name__ == "__main__":
    main()

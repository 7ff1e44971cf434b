"""A worker as the trusted side holds it: its wire, its output, and the monitor that ends it."""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.limits import Limits
from grader.results import MissingFence

from . import fences, wire, zygote

# Below the size from which the allocator asks the system for each buffer.
CHUNK = 2**16
START_SECONDS = 20.0
ANSWER_SECONDS = 2.0
TRACE_SECONDS = 3.0
OWN_FRAME = '/worker.py", line'


class WorkerFault(Exception):
    """A worker could not be had: the grader's fault, never the learner's."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What every worker of one submission is given."""

    files: Mapping[str, bytes]
    homes: Mapping[str, str]
    given: Mapping[str, bytes]
    imports: Sequence[str]
    limits: Limits
    strict: bool = False
    require_fences: bool = False

    def message(self) -> bytes:
        return wire.pack(
            {
                "files": dict(self.files),
                "homes": dict(self.homes),
                "given": dict(self.given),
                "imports": list(self.imports),
            }
        )


class Worker:
    """One worker process, reached through the zygote."""

    def __init__(self, control: socket.socket, setup: Setup) -> None:
        self.wire, wire_end = socket.socketpair()
        self._monitor, monitor_end = socket.socketpair()
        self.output, output_end = os.pipe()
        self._trace, trace_end = os.pipe()
        ends = (wire_end.fileno(), output_end, trace_end, monitor_end.fileno())
        try:
            socket.send_fds(control, [_request(setup)], ends)
        except OSError as error:
            raise WorkerFault(f"the process that starts workers is gone ({error})") from None
        finally:
            wire_end.close()
            monitor_end.close()
            os.close(output_end)
            os.close(trace_end)
        for descriptor in (self.output, self._trace):
            os.set_blocking(descriptor, False)
        self.frames = wire.Frames()
        self.poll = select.poll()
        self.poll.register(self.wire, select.POLLIN)
        self.poll.register(self.output, select.POLLIN)
        self.fences: tuple[str, ...] = ()
        self.missing_fences: tuple[MissingFence, ...] = ()
        self.calls = 0
        self._greet(setup)

    def _greet(self, setup: Setup) -> None:
        self.wire.settimeout(START_SECONDS)
        try:
            frame = wire.receive(self.wire, self.frames)
            message = None if frame is None else wire.unpack(frame[0])
            if not (type(message) is list and type(message[0]) is list and message[0][0] == "ready"):
                raise WorkerFault(f"a worker did not start: {self.read_output().decode('utf-8', 'replace')}")
            _, names, missing = message[0]
            self.fences, self.missing_fences = tuple(names), tuple(MissingFence(*each) for each in missing)
            if setup.require_fences and self.missing_fences:
                text = "; ".join(f"{each.name}: {each.reason}" for each in self.missing_fences)
                raise WorkerFault(f"not every fence can be had on this machine: {text}")
            packed = setup.message()
            self.wire.sendall(wire.LENGTHS.pack(len(packed), 0) + packed)
            self.wire.settimeout(None)  # With a time limit, Python waits even where it is told not to.
        except (OSError, wire.WireError, IndexError, TypeError, ValueError) as error:
            raise WorkerFault(f"a worker did not start: {error}") from None

    def is_ready(self) -> bool:
        """Whether it is there and has said nothing that it was not asked for."""
        return not self.frames.begun and self.wire.fileno() not in dict(self.poll.poll(0))

    def cpu_seconds(self) -> float | None:
        """The processor time that the worker has used so far, if the system tells."""
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            self._monitor.settimeout(ANSWER_SECONDS)
            self._monitor.sendall(zygote.CPU)
            return float(json.loads(self._monitor.recv(2**12))["cpu"])
        return None

    def read_output(self) -> bytes:
        """What is there of the output, without waiting."""
        with contextlib.suppress(BlockingIOError):
            return os.read(self.output, CHUNK)
        return b""

    def stack(self) -> str:
        """The worker's Python stack as text, as it is now or as a crash left it."""
        with contextlib.suppress(OSError):
            self._monitor.sendall(zygote.TRACE)
        text, end = "", time.monotonic() + TRACE_SECONDS
        # It comes frame by frame, the innermost first: the learner's are there once the worker's own come.
        while OWN_FRAME not in text and len(text) < CHUNK:
            select.select([self._trace], [], [], max(end - time.monotonic(), 0))
            read = self._read_trace()
            if not read:
                break
            text += read
        return text

    def _read_trace(self) -> str:
        with contextlib.suppress(BlockingIOError):
            return os.read(self._trace, 2**16).decode("utf-8", "replace")
        return ""

    def kill(self, order: bytes = zygote.KILL) -> tuple[int | None, str]:
        """Kill it with all its processes.

        Returns its exit code, negative for a signal and None if it had to be killed, and a crash's stack.
        """
        status = None
        with contextlib.suppress(OSError):
            self._monitor.settimeout(START_SECONDS)
            self._monitor.sendall(order)
        with contextlib.suppress(OSError, ValueError):
            status = json.loads(self._monitor.recv(2**12))["exit"]
        stack = self._read_trace()
        self.wire.close()
        self._monitor.close()
        os.close(self.output)
        os.close(self._trace)
        return status, stack


def _request(setup: Setup) -> bytes:
    limits = fences.Limits(
        memory=setup.limits.memory_mb * 2**20,
        file_size=setup.limits.file_kb * 2**10,
        processes=setup.limits.processes,
        open_files=setup.limits.open_files,
    )
    return zygote.request(limits, strict=setup.strict, imports=setup.imports)

"""Fences as the zygote raises them around a worker."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.runner import wire, zygote
from grader.runner.fences import Limits, cgroup, survey
from grader.runner.start import only_a_zygote

from .conftest import need

PATIENCE_SECONDS = 30


def groups() -> list[Path]:
    """The control groups of workers."""
    return list(cgroup._parent("memory").glob("grader-*"))


@pytest.fixture(scope="module")
def control() -> Iterator[socket.socket]:
    """The control socket of a zygote that has no trusted process."""
    with only_a_zygote() as here:
        yield here


class Started:
    """A worker's ends of wire, output and monitor."""

    def __init__(self, control: socket.socket, limits: Limits | None = None, **asked: Any) -> None:
        self.wire, wire_end = socket.socketpair()
        self.monitor, monitor_end = socket.socketpair()
        self.output, output_end = os.pipe()
        self.trace, trace_end = os.pipe()
        self.wire.settimeout(PATIENCE_SECONDS)
        ends = [wire_end.fileno(), output_end, trace_end, monitor_end.fileno()]
        socket.send_fds(control, [zygote.request(limits or Limits(), **asked)], ends)
        wire_end.close()
        monitor_end.close()
        for descriptor in (output_end, trace_end):
            os.close(descriptor)

    def ready(self) -> list[Any]:
        frame = wire.receive(self.wire, wire.Frames())
        assert frame is not None
        message: list[Any] = wire.unpack(frame[0])[0]
        return message

    def said(self) -> str:
        text = b""
        while data := os.read(self.output, 2**12):
            text += data
        return text.decode()

    def serve(self, text: str) -> None:
        """Have it call the function ``f`` of a file of this text."""
        setup = {"files": {"a.py": text.encode()}, "homes": {"f": "a.py"}, "given": {}, "imports": []}
        for message in (setup, ["call", "f", wire.encode_call(((), {}), list, frozenset())]):
            wire.send(self.wire, message)

    def end(self, order: bytes = zygote.KILL) -> dict[str, Any]:
        """Have the worker ended, and return the report of its end."""
        report: dict[str, Any] = {}
        with contextlib.suppress(OSError):  # One that did not start is over already, and closes what it did not read.
            self.monitor.sendall(order)
            report = json.loads(self.monitor.recv(2**12) or b"{}")
        self.wire.close()
        self.monitor.close()
        os.close(self.output)
        os.close(self.trace)
        return report


@pytest.mark.parametrize("strict", [False, True])
def test_a_worker_says_which_fences_are_up_and_which_are_missing(control: socket.socket, strict: bool) -> None:
    started = Started(control, strict=strict, imports=["numpy", "grader.devices"])
    found, missing = survey(strict)
    assert started.ready() == ["ready", list(found), [[each.name, each.reason] for each in missing]]
    assert started.end()["memory_kb"] > 0


def test_several_workers_at_once_leave_no_group(control: socket.socket) -> None:
    need("cgroup")
    several = [Started(control, strict=True) for _ in range(3)]
    for started in several:
        assert started.ready()[0] == "ready"
    assert all(started.end()["memory_kb"] > 0 for started in several)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while groups() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert groups() == []


def test_why_a_worker_does_not_start_is_said_where_the_trusted_side_looks(control: socket.socket) -> None:
    started = Started(control, imports=["grader"])
    assert wire.receive(started.wire, wire.Frames()) is None
    assert "the exercise's `imports` has grader" in started.said()
    started.end()
    # The next worker starts all the same.
    again = Started(control)
    assert again.ready()[0] == "ready"
    again.end()


def test_a_fence_that_fails_in_the_worker_is_said_too(control: socket.socket) -> None:
    need("namespaces")
    started = Started(control, Limits(scratch=-1), strict=True)
    assert wire.receive(started.wire, wire.Frames()) is None
    assert "the fence namespaces does not come up" in started.said()
    started.end()


def test_one_that_is_given_a_moment_to_end_holds_up_nobody(control: socket.socket) -> None:
    stuck, other = Started(control), Started(control)
    for started in (stuck, other):
        assert started.ready()[0] == "ready"
    stuck.serve("def f():\n    print('here')\n    while True:\n        pass\n")
    assert os.read(stuck.output, 2**12) == b"here\n"
    stuck.monitor.sendall(zygote.TRACE)
    text = b""
    while b"in f" not in text and (read := os.read(stuck.trace, 2**12)):
        text += read
    assert b"in f" in text
    stuck.monitor.sendall(zygote.END)
    other.monitor.sendall(zygote.CPU)
    assert json.loads(other.monitor.recv(2**12))["cpu"] > 0
    assert other.end()["exit"] is None
    assert json.loads(stuck.monitor.recv(2**12))["exit"] is None
    stuck.end()


def test_one_that_ends_by_itself_says_how(control: socket.socket) -> None:
    started = Started(control)
    assert started.ready()[0] == "ready"
    started.serve("import os\n\n\ndef f():\n    os._exit(7)\n")
    assert started.end(zygote.END)["exit"] == 7


def test_workers_end_with_their_monitors_and_not_with_the_control_socket() -> None:
    with only_a_zygote() as control:
        started = Started(control)
        assert started.ready()[0] == "ready"
        control.close()
        started.monitor.sendall(zygote.CPU)
        assert json.loads(started.monitor.recv(2**12))["cpu"] > 0
        started.monitor.shutdown(socket.SHUT_WR)
        assert json.loads(started.monitor.recv(2**12))["exit"] is None
        started.end()

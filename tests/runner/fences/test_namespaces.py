"""Namespaces, alone: what a worker still sees, and that they end with it."""

from __future__ import annotations

import errno
import os
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.runner.fences import Limits, enclose, readable_paths

from .conftest import become_nobody, fork, in_worker, need

pytestmark = pytest.mark.parametrize("as_nobody", [False, True], ids=["as started", "as nobody"])


def inside(act: Callable[[], Any], as_nobody: bool, **options: Any) -> Any:
    need("namespaces", as_nobody=as_nobody)
    return in_worker(["namespaces"], act, as_nobody=as_nobody, **options)


def test_a_worker_sees_what_is_readable_and_nothing_else(as_nobody: bool) -> None:
    def act() -> Any:
        seen = [f"{folder}/{name}" for folder, _, names in os.walk("/") for name in names]
        return [place for place in seen if not os.path.realpath(place).startswith(real)]

    real = tuple(os.path.realpath(path) for path in readable_paths(()))
    assert inside(act, as_nobody) == []


def test_links_lead_where_they_led(as_nobody: bool) -> None:
    links = [path for path in readable_paths(()) if os.path.realpath(path) != path]
    assert links
    assert inside(lambda: [path for path in links if not Path(path).exists()], as_nobody) == []


def test_what_is_seen_is_not_written(as_nobody: bool) -> None:
    def act() -> Any:
        found = []
        for folder in ("/", "/etc", os.path.dirname(os.__file__), os.path.dirname(json_folder)):  # noqa: PTH120
            try:
                Path(folder, "new").touch()
            except OSError as error:
                found.append(error.errno)
        return found

    import json

    json_folder = json.__file__
    found = inside(act, as_nobody)
    assert len(found) == 4
    # What is not even theirs is refused for that.
    assert set(found) <= ({errno.EROFS, errno.EACCES} if as_nobody else {errno.EROFS})


def test_the_scratch_folder_is_bounded(as_nobody: bool) -> None:
    def act() -> Any:
        found = []
        try:
            Path("/tmp/large").write_bytes(bytes(2 * 2**20))
        except OSError as error:
            found.append(error.errno)
        Path("/tmp/large").unlink()
        count = 0
        try:
            for count in range(1000):
                Path(f"/tmp/{count}").touch()
        except OSError as error:
            found.append(error.errno)
        return [*found, 150 < count < 300]

    limits = Limits(
        scratch=2**20, scratch_files=300
    )  # Some are what this process, with all that it has loaded, may read.
    assert inside(act, as_nobody, limits=limits) == [errno.ENOSPC, errno.ENOSPC, True]


def test_there_is_no_network_and_no_name(as_nobody: bool) -> None:
    def act() -> Any:
        with socket.socket(type=socket.SOCK_DGRAM) as outgoing:
            try:
                outgoing.sendto(b"", ("127.0.0.1", 9))
            except OSError as error:
                return [error.errno, [name for _, name in socket.if_nameindex()], os.uname().nodename]

    assert inside(act, as_nobody) == [errno.ENETUNREACH, ["lo"], "worker"]


def test_a_worker_is_the_second_process_of_two(as_nobody: bool) -> None:
    assert inside(lambda: [os.getpid(), os.getppid()], as_nobody) == [2, 0]


def test_all_ends_when_it_is_closed(as_nobody: bool) -> None:
    need("namespaces", as_nobody=as_nobody)

    def watch() -> Any:
        if as_nobody:
            become_nobody()
        before = os.listdir("/proc/self/fd")  # noqa: PTH208
        with enclose(["namespaces"], Limits()):
            left = os.fork()
            if left == 0:
                time.sleep(60)
            first = int(Path("/proc/self/task", str(os.getpid()), "children").read_text().split()[0])
        # The worker that was left running is gone with its namespace.
        there = [Path(f"/proc/{process}").exists() for process in (left, first)]
        return there, before == os.listdir("/proc/self/fd")  # noqa: PTH208

    assert fork(watch) == [[False, False], True]


def test_it_ends_with_a_watcher_that_is_killed(as_nobody: bool) -> None:
    need("namespaces", as_nobody=as_nobody)
    alive, alive_end = os.pipe()

    def watch() -> None:
        if as_nobody:
            become_nobody()
        with enclose(["namespaces"], Limits()):
            os.kill(os.getpid(), 9)

    process = os.fork()
    if process == 0:
        os.close(alive)
        watch()
        os._exit(1)
    os.close(alive_end)
    os.waitpid(process, 0)
    # The idle first process has no descriptors of ours; that nobody has the pipe open shows that it is so.
    assert os.read(alive, 1) == b""
    os.close(alive)


def test_nothing_is_mounted_outside(as_nobody: bool) -> None:
    before = Path("/proc/self/mountinfo").read_text()
    assert inside(lambda: Path("/tmp/file").write_text("text"), as_nobody) == 4
    assert Path("/proc/self/mountinfo").read_text() == before
    assert not Path("/tmp/file").exists()

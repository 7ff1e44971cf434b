"""Landlock at each version of its interface, alone: what the version has is used, the rest is seccomp's."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.runner.fences import FenceError, Limits, landlock, raise_fences
from grader.runner.fences.kernel import PR_SET_NO_NEW_PRIVS, call
from grader.runner.fences.probes import PROBES

from .conftest import fork, in_worker, need

VERSIONS = sorted(landlock.RIGHTS)


def within(version: int, readable: list[str], act: Callable[[], object]) -> object:
    """What ``act`` returns within Landlock of a version."""
    need("landlock")
    if landlock.version() < version:
        pytest.skip(f"the kernel has version {landlock.version()} of Landlock's interface")

    def confined() -> object:
        call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        landlock.raise_fence(landlock.make_rules(readable, newest=version))
        return act()

    return fork(confined)


def refusal(act: Callable[[], object]) -> int | None:
    try:
        act()
    except OSError as error:
        return error.errno
    return None


@pytest.mark.parametrize("version", VERSIONS)
def test_files_are_read_where_they_may_be(version: int, tmp_path: Path) -> None:
    folder, beside = tmp_path / "shown", tmp_path / "beside.txt"
    folder.mkdir()
    (folder / "inside.txt").write_text("inside")
    beside.write_text("beside")

    def act() -> object:
        return [
            (folder / "inside.txt").read_text(),
            os.listdir(folder),  # noqa: PTH208
            refusal(beside.read_text),
            refusal(lambda: os.listdir(tmp_path)),  # noqa: PTH208
            refusal(lambda: (folder / "inside.txt").write_text("")),
            refusal((folder / "inside.txt").unlink),
            refusal((folder / "new").mkdir),
            refusal(lambda: Path(os.devnull).write_text("gone")),
        ]

    refused = errno.EACCES
    expected = ["inside", ["inside.txt"], refused, refused, refused, refused, refused, None]
    assert within(version, [str(folder), os.devnull], act) == expected
    assert (folder / "inside.txt").read_text() == "inside"


@pytest.mark.parametrize("version", VERSIONS)
def test_a_single_file_shows_nothing_beside_it(version: int, tmp_path: Path) -> None:
    shown, beside = tmp_path / "shown.txt", tmp_path / "beside.txt"
    shown.write_text("shown")
    beside.write_text("beside")
    found = within(version, [str(shown)], lambda: [shown.read_text(), refusal(beside.read_text)])
    assert found == ["shown", errno.EACCES]


@pytest.mark.parametrize("version", VERSIONS)
def test_what_each_version_stops_besides_files(version: int) -> None:
    server = socket.create_server(("127.0.0.1", 0))
    name = f"\0probe-{os.getpid()}"
    with server, socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind(name)
        abstract.listen()

        def act() -> object:
            with socket.socket() as outgoing, socket.socket() as incoming, socket.socket(socket.AF_UNIX) as local:
                return [
                    refusal(lambda: outgoing.connect(server.getsockname())),
                    refusal(lambda: incoming.bind(("127.0.0.1", 0))),
                    refusal(lambda: local.connect(name)),
                    refusal(lambda: os.kill(os.getppid(), 0)),
                    refusal(lambda: os.kill(os.getpid(), 0)),
                ]

        tcp = errno.EACCES if version >= 4 else None
        scope = errno.EPERM if version >= 6 else None
        assert within(version, [], act) == [tcp, tcp, scope, scope, None]


def test_version_three_and_seccomp_stop_what_all_fences_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    need("rlimits", "landlock", "seccomp")
    monkeypatch.setattr(landlock, "version", lambda: 3)

    def crossed() -> list[str]:
        return [probe.name for probe in PROBES if refusal_of(probe.attempt) is None]

    assert in_worker(["rlimits", "landlock", "seccomp"], crossed) == []


def refusal_of(act: Callable[[], None]) -> str | None:
    try:
        act()
    except OSError as error:
        return str(error)
    return None


def test_a_kernel_without_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object) -> int:
        raise OSError(errno.EOPNOTSUPP, "not supported")

    monkeypatch.setattr(landlock, "call", missing)
    with pytest.raises(FenceError, match="add landlock to its parameter `lsm=`"):
        landlock.version()


def test_a_path_that_is_gone_is_the_graders_fault(tmp_path: Path) -> None:
    need("landlock")
    with pytest.raises(FenceError, match="landlock does not come up"):
        fork(lambda: raise_fences(["landlock"], Limits(), [str(tmp_path / "gone")]))

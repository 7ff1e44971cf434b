"""The user of a worker's own, where the grader is started as root."""

from __future__ import annotations

import errno
import os
import resource
from pathlib import Path
from typing import Any

import pytest

from grader.runner.fences import FenceError, Limits, enclose, raise_fences, readable_paths, user

from .conftest import fork, in_worker, level, need

CAPABILITIES = ("CapInh", "CapPrm", "CapEff", "CapAmb")
SEARCH = 1 << 2


@pytest.fixture(autouse=True)
def _root() -> None:
    need("user")


def status() -> dict[str, str]:
    lines = Path("/proc/self/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def test_a_worker_is_nobody_else() -> None:
    def watch() -> Any:
        os.setgroups([0, 7])
        return in_worker(["user"], status, readable=())

    found = fork(watch)
    for ids in (found["Uid"].split(), found["Gid"].split()):
        assert len(set(ids)) == 1
        assert int(ids[0]) >= user.FIRST_OF_FEW
    assert found["Groups"] == ""
    assert {name: int(found[name], 16) for name in CAPABILITIES} == dict.fromkeys(CAPABILITIES, 0)
    assert found["NoNewPrivs"] == "1"


def test_workers_that_run_at_once_differ() -> None:
    def both() -> Any:
        first = fork(lambda: in_worker(["user"], os.getuid, readable=()))
        return first, in_worker(["user"], os.getuid, readable=())

    first, second = fork(both)
    assert first != second


def test_python_installed_for_root_alone_is_read_on(tmp_path: Path) -> None:
    folder, beside = tmp_path / "for_root", tmp_path / "secret.txt"
    folder.mkdir(mode=0o700)
    (folder / "module.py").write_text("module")
    beside.write_text("secret")
    beside.chmod(0o600)

    def act() -> Any:
        try:
            beside.read_text()
        except OSError as error:
            return (folder / "module.py").read_text(), error.errno

    names = level(strict=False)
    found = in_worker(names, act, readable=(*readable_paths(()), str(folder)))
    assert found == ["module", errno.EACCES]


@pytest.mark.parametrize("names", [["user"], ["user", "landlock"], ["user", "seccomp"]])
def test_it_is_not_read_on_without_landlock_and_seccomp(names: list[str], tmp_path: Path) -> None:
    need(*names)
    folder = tmp_path / "for_root"
    folder.mkdir(mode=0o700)
    with pytest.raises(FenceError, match=r"only root may read it .*for_root"):
        in_worker(names, os.getuid, readable=[str(folder)])


def test_what_every_user_may_read_takes_no_capability() -> None:
    # Landlock takes /proc away: the capabilities are asked for by a system call that seccomp would refuse.
    found = in_worker(["user"], status, readable=["/"])
    assert int(found["CapEff"], 16) & SEARCH == 0


def test_root_in_a_namespace_without_other_users() -> None:
    from grader.runner.fences.kernel import CLONE_NEWUSER, call

    def act() -> None:
        call("unshare", CLONE_NEWUSER)
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text("0 0 1")
        Path("/proc/self/gid_map").write_text("0 0 1")
        raise_fences(["user"], Limits(), ())

    with pytest.raises(FenceError, match="root is the only user"):
        fork(act)


def test_limits_cannot_be_raised_again() -> None:
    def act() -> Any:
        raised = []
        for kind in (resource.RLIMIT_AS, resource.RLIMIT_NPROC, resource.RLIMIT_NOFILE, resource.RLIMIT_CORE):
            try:
                resource.setrlimit(kind, (2**40, 2**40))
                raised.append(kind)
            except ValueError:
                continue
        return raised

    assert in_worker(["rlimits", "user"], act, readable=()) == []
    assert in_worker(["rlimits"], act, readable=()) == []


def test_the_grader_itself_stays_root() -> None:
    def watch() -> Any:
        with enclose(["user"], Limits()):
            fork(lambda: raise_fences(["user"], Limits(), ()))
            return os.getuid()

    assert fork(watch) == 0

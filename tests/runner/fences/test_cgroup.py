"""The control group: on this machine's hierarchy, and on folders that look like those of other machines."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest

from grader.runner.fences import FenceError, Limits, cgroup, enclose, raise_fences

from .conftest import fork, in_worker, need

LIMITS = Limits(memory=300 * 2**20, processes=7)


def read(folder: Path, *names: str) -> int:
    return int(next((folder / name).read_text() for name in names if (folder / name).exists()))


def test_limits_are_set_and_the_group_is_removed() -> None:
    need("cgroup")

    def watch() -> Any:
        folders = cgroup._folders(os.getpid())
        with enclose(["cgroup"], LIMITS):
            watcher = os.getpid()
            inside = fork(lambda: (raise_fences(["cgroup"], LIMITS, (), watcher), mine())[1])
            found = [
                max(
                    read(each, "memory.max", "memory.limit_in_bytes") for each in folders if list(each.glob("memory.*"))
                ),
                max(read(each, "pids.max") for each in folders if (each / "pids.max").exists()),
                sum(f"/grader-{watcher}" in line for line in inside) == len(folders),
            ]
        return [*found, [str(each) for each in folders if each.exists()]]

    assert fork(watch) == [LIMITS.memory, LIMITS.processes, True, []]


def mine() -> list[str]:
    return Path("/proc/self/cgroup").read_text().splitlines()


def test_processes_are_bounded() -> None:
    need("cgroup")

    def act() -> int:
        over = threading.Event()
        started = 0
        try:
            for _ in range(20):
                threading.Thread(target=over.wait, daemon=True).start()
                started += 1
        except RuntimeError:
            over.set()
        return started

    assert in_worker(["cgroup"], act, limits=LIMITS, readable=()) == LIMITS.processes - 1


def test_memory_is_bounded_however_it_is_claimed() -> None:
    need("cgroup")

    def act() -> int:
        return len(bytearray(os.urandom(1)) * (2 * LIMITS.memory))

    from .conftest import Ended

    with pytest.raises(Ended) as ended:
        in_worker(["cgroup"], act, limits=LIMITS, readable=())
    assert ended.value.code == -9


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for a made-up hierarchy, and /proc/self as ``describe`` writes it."""
    (tmp_path / "proc").mkdir()
    monkeypatch.setattr(cgroup, "PROC", tmp_path / "proc")
    return tmp_path


def describe(machine: Path, groups: str, mounts: str) -> None:
    (machine / "proc" / "cgroup").write_text(groups)
    (machine / "proc" / "mountinfo").write_text(mounts.replace("TOP", str(machine)))


def test_version_two_divides_the_group_above(machine: Path) -> None:
    describe(machine, "0::/unit/grader\n", "30 23 0:26 / TOP/fs rw - cgroup2 cgroup2 rw,nsdelegate\n")
    unit = machine / "fs" / "unit"
    (unit / "grader").mkdir(parents=True)
    (unit / "cgroup.subtree_control").write_text("cpu memory pids\n")
    assert cgroup._folders(7) == (unit / "grader-7",)
    with cgroup.enclose(7, Limits()):
        assert (unit / "grader-7").is_dir()
    assert not (unit / "grader-7").exists()


def test_version_two_asks_for_what_is_missing(machine: Path) -> None:
    describe(machine, "0::/\n", "30 23 0:26 / TOP/fs rw - cgroup2 cgroup2 rw\n")
    (machine / "fs").mkdir()
    (machine / "fs" / "cgroup.subtree_control").write_text("memory")
    assert cgroup._folders(7) == (machine / "fs" / "grader-7",)
    assert (machine / "fs" / "cgroup.subtree_control").read_text().endswith("+pids")


def test_what_a_killed_watcher_left_is_removed(machine: Path) -> None:
    describe(machine, "0::/\n", "30 23 0:26 / TOP/fs rw - cgroup2 cgroup2 rw\n")
    gone, alive, other = (machine / "fs" / f"grader-{name}" for name in (2**22 + 1, os.getpid(), "notes"))
    for folder in (gone, alive, other):
        folder.mkdir(parents=True)
    (machine / "fs" / "cgroup.subtree_control").write_text("memory pids")
    cgroup.enclose(7, Limits()).close()
    assert [folder.exists() for folder in (gone, alive, other)] == [False, True, True]


def test_a_group_that_cannot_be_divided_is_said(machine: Path) -> None:
    describe(machine, "0::/session\n", "30 23 0:26 / TOP/fs rw - cgroup2 cgroup2 rw\n")
    (machine / "fs" / "session").mkdir(parents=True)
    with pytest.raises(FenceError, match=r"cannot be divided in .*/session; .*systemd-run"):
        cgroup.enclose(7, Limits())


def test_version_one_in_a_container(machine: Path) -> None:
    mounts = "40 23 0:30 /box TOP/m rw - cgroup cgroup rw,memory\n41 23 0:31 /box TOP/p rw - cgroup cgroup rw,pids\n"
    describe(machine, "5:memory:/box/inner\n4:pids:/box\n0::/\n", mounts)
    assert cgroup._folders(7) == (machine / "m" / "inner" / "grader-7", machine / "p" / "grader-7")


def test_no_hierarchy_is_said(machine: Path) -> None:
    describe(machine, "0::/\n", "")
    with pytest.raises(FenceError, match="no control group for memory"):
        cgroup.enclose(7, Limits())

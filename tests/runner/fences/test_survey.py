"""The survey tells what can be had, says why the rest cannot, and leaves nothing behind."""

from __future__ import annotations

import contextlib
import os
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from grader.runner.fences import FenceError, Limits, cgroup, raise_fences, survey
from grader.runner.fences.kernel import CLONE_NEWUSER, call

from .conftest import BASE, STRICT, become_nobody, fork, need


def state() -> list[Any]:
    """What a survey could leave behind."""
    groups: list[str] = []
    with contextlib.suppress(FenceError):  # where there are none
        found = sorted(path.name for path in cgroup._parent("memory").glob("grader-*"))
        # Other runs on this machine may have workers of their own.
        groups = [name for name in found if not Path("/proc", name.rpartition("-")[2]).exists()]
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
    descriptors = os.listdir("/proc/self/fd")  # noqa: PTH208
    return [groups, children, descriptors, Path("/proc/self/mountinfo").read_text(), os.getresuid()]


@pytest.mark.parametrize("strict", [False, True])
def test_it_finds_each_fence_or_says_why_not_and_cleans_up(strict: bool) -> None:
    def look() -> Any:
        before = state()
        found, missing = survey(strict)
        return found, [[each.name, each.reason] for each in missing], before == state()

    found, missing, clean = fork(look)
    assert clean
    expected = [name for name in (STRICT if strict else BASE) if name != "user" or os.geteuid() == 0]
    assert sorted([*found, *(name for name, _ in missing)]) == sorted(expected)
    assert all(reason for _, reason in missing)
    assert "rlimits" in found


def test_what_it_finds_comes_up() -> None:
    found, _ = survey(strict=False)
    fork(lambda: raise_fences(found, Limits(), ("/",)))


def test_namespaces_that_cannot_be_had_are_missing_for_a_reason() -> None:
    need("namespaces", as_nobody=True)

    def look() -> Any:
        become_nobody()
        call("unshare", CLONE_NEWUSER)  # Without a map it is the kernel's nobody, who may not have another one.
        return [[each.name, each.reason] for each in survey(strict=True)[1]]

    missing = dict(fork(look))
    assert "CAP_SYS_ADMIN" in missing["namespaces"]
    assert "systemd-run" in missing["cgroup"]


def test_a_fence_that_does_not_exist() -> None:
    with pytest.raises(FenceError, match="no fence of this name"):
        fork(lambda: raise_fences(["moat"], Limits(), ()))


@pytest.mark.parametrize(("platform", "found"), [("posix", ("rlimits",)), ("windows", ())])
def test_other_platforms_say_what_they_lack(platform: str, found: tuple[str, ...]) -> None:
    module = import_module(f"grader.runner.fences.{platform}")
    names, missing = module.survey(True)
    assert names == found
    assert [each.name for each in missing] == ["sandbox"]
    assert "WSL2" in missing[0].reason or "Linux" in missing[0].reason
    with pytest.raises(FenceError):
        module.raise_fences(["landlock"], Limits(), (), 1, None)
    module.enclose(found, Limits()).close()
    assert module.readable_paths(()) == ()

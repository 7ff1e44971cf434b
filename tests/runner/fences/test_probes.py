"""Every probe is stopped by each fence that it names, alone, and by all together."""

from __future__ import annotations

import ctypes
import errno
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from grader.runner.fences.kernel import call
from grader.runner.fences.probes import PROBES, Probe

from .conftest import STRICT, fork, in_worker, level, need

REFUSALS = {
    "rlimits": {None, errno.EPERM, errno.ENOMEM, errno.EAGAIN},
    "user": {errno.EPERM, errno.EACCES},
    "landlock": {errno.EACCES, errno.EPERM},
    "seccomp": {errno.EPERM, errno.ENOSYS, None},
    "namespaces": {errno.ENOENT, errno.ESRCH, errno.EPERM, errno.EROFS, errno.ENETUNREACH, None},
    "cgroup": {None, errno.EAGAIN},
}


def tried(probes: Sequence[Probe]) -> Callable[[], dict[str, Any]]:
    """A task that gives, for each probe, whether it was stopped, and the number of the error."""

    def act() -> dict[str, Any]:
        found: dict[str, Any] = {}
        for probe in probes:
            try:
                probe.attempt()
                found[probe.name] = [False, None]
            except OSError as error:
                found[probe.name] = [True, error.errno]
        return found

    return act


def names(probes: Sequence[Probe]) -> list[str]:
    return [probe.name for probe in probes]


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.name)
def test_a_probe_gets_across_where_nothing_stops_it(probe: Probe) -> None:
    try:
        fork(lambda: fork(probe.attempt))
    except OSError as error:
        pytest.skip(f"something else stops it here: {error}")


@pytest.mark.parametrize("fence", STRICT)
def test_each_fence_stops_alone_what_it_is_named_for(fence: str) -> None:
    need(fence)
    probes = [probe for probe in PROBES if fence in probe.fences]
    assert probes
    # A user who may not read the interpreter has no lazy imports: the probes have none left to do.
    for probe in probes:
        with_imports(probe)
    found = in_worker([fence], tried(probes), readable=() if fence == "user" else None)
    assert [name for name in names(probes) if not found[name][0]] == []
    unexpected = {name: number for name, (_, number) in found.items() if number not in REFUSALS[fence]}
    assert unexpected in ({}, {"use a temporary file": errno.ENOENT})


def with_imports(probe: Probe) -> None:
    for name in probe.attempt.__code__.co_names:
        if name in ("ctypes", "socket", "subprocess", "tempfile", "threading", "mmap", "resource", "fcntl"):
            __import__(name)


@pytest.mark.parametrize("as_nobody", [False, True], ids=["as started", "as nobody"])
@pytest.mark.parametrize("strict", [False, True], ids=["base", "strict"])
def test_nothing_gets_across_all_fences(strict: bool, as_nobody: bool) -> None:
    found = in_worker(level(strict, as_nobody), tried(PROBES), as_nobody=as_nobody)
    assert [name for name in names(PROBES) if not found[name][0]] == []


@pytest.mark.parametrize("as_nobody", [False, True], ids=["as started", "as nobody"])
@pytest.mark.parametrize("fence", ["rlimits", "namespaces", "cgroup"])
def test_no_capability_is_left_within_any_fence(fence: str, as_nobody: bool) -> None:
    need(fence, as_nobody=as_nobody)

    def act() -> list[int]:
        held = (ctypes.c_uint32 * 6)()
        call("capget", (ctypes.c_uint32 * 2)(0x20080522, 0), held)
        return list(held)

    assert in_worker([fence], act, as_nobody=as_nobody) == [0] * 6


def test_probes_name_known_fences_and_say_what_they_mean() -> None:
    assert len(set(names(PROBES))) == len(PROBES)
    for probe in PROBES:
        assert probe.fences
        assert set(probe.fences) <= set(STRICT)
        assert probe.meaning.startswith("a submission can ")

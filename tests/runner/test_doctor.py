"""What is found out about a machine by trying to get across its fences."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from grader.runner.doctor import examine
from grader.runner.fences import survey
from grader.runner.fences.probes import PROBES

UP, MISSING = survey(strict=True)


@pytest.mark.skipif(MISSING != (), reason=f"this machine lacks {MISSING}")
@pytest.mark.parametrize("strict", [False, True])
def test_every_fence_is_tried_and_holds(strict: bool) -> None:
    found = examine(strict=strict)
    assert [attempt.name for attempt in found.crossed] == []
    assert {probe.name for probe in PROBES} < {attempt.name for attempt in found.attempts}
    assert found.attempts[0].name == "read a hidden suite"
    assert set(found.fences) == set(UP) - (set() if strict else {"namespaces", "cgroup"})
    assert found.holds


def test_an_attempt_that_nothing_stops_gets_across(monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that every worker may read stands for a suite that is not fenced off."""
    monkeypatch.setattr("grader.runner.doctor.SUITES", Path(os.__file__).parent)
    found = examine()
    assert [attempt.name for attempt in found.crossed] == ["read a hidden suite"]
    assert not found.holds

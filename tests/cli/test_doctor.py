"""``course doctor``: what holds, what does not, what that means, and the exit code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from grader.runner.fences import survey

UP, MISSING = survey(strict=False)
WITHOUT_LANDLOCK = Path(__file__).parents[1] / "without_landlock.py"


@pytest.mark.skipif(MISSING != (), reason=f"this machine lacks {MISSING}")
def test_where_everything_holds(run: Any) -> None:
    result = run("doctor")
    assert result.code == 0
    assert all(f"up       {name}" in result.out for name in UP)
    assert result.out.endswith("Everything holds: work of people whom you do not trust can be graded here.\n")
    assert "EPERM" in run("doctor", "--verbose").out


@pytest.mark.skipif(MISSING != (), reason=f"this machine lacks {MISSING}")
def test_as_data(run: Any) -> None:
    result = run("doctor", "--format", "json")
    found = json.loads(result.out)
    assert (found["holds"], found["missing"], found["fences"]) == (True, [], list(UP))
    assert all(attempt["stopped_by"] for attempt in found["attempts"])


@pytest.mark.skipif("seccomp" not in UP, reason="takes Landlock away by a filter of system calls")
def test_what_is_missing_and_what_gets_across_is_said_with_what_it_means() -> None:
    command = [sys.executable, WITHOUT_LANDLOCK, "doctor"]
    result = subprocess.run(command, capture_output=True, text=True, check=False, env={"COLUMNS": "100"})
    assert (result.returncode, result.stderr) == (1, "")
    text = " ".join(result.stdout.split())
    assert "missing landlock the kernel has Landlock, but was started without it: add landlock to" in text
    assert "CROSSED read a hidden suite, read" in text
    assert "a submission can read your files, and a hidden suite that lies on this machine." in text
    assert "Not everything holds. Points are still out of a submission's reach" in text
    assert max(map(len, result.stdout.splitlines())) <= 100

"""A suite under bare pytest, as its author runs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

COURSE = Path(__file__).parents[1] / "cases" / "course"


def run(exercise: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    options = ["-p", "grader.authoring.plugin", "-p", "no:cacheprovider", "-c", "/dev/null", "-q"]
    command = [COURSE / "private" / exercise, "--exercise", COURSE / "exercises" / exercise, *arguments]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *options, *command], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("exercise", ["pieces", "words"])
def test_the_reference_passes(exercise: str) -> None:
    ended = run(exercise)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_other_work_is_named_by_its_folder() -> None:
    ended = run("words", "--submission", COURSE / "exercises" / "words")
    assert ended.returncode == 1
    assert "NotImplementedError" in ended.stdout

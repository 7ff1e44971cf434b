"""Which fences a grade was made behind, and what happens where one cannot be had."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from grader.course import Exercise
from grader.runner import Grader, read_submission
from grader.runner.fences import survey

from .conftest import CASES

RIGHT = CASES / "submissions" / "right.py"
UP, MISSING = survey(strict=True)

WITHOUT_LANDLOCK = CASES.parent / "without_landlock.py"


def course_without_landlock(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, WITHOUT_LANDLOCK, "grade", RIGHT, "--exercise", "pieces", *arguments]
    return subprocess.run(list(map(str, command)), cwd=CASES / "course", capture_output=True, text=True, check=False)


@pytest.mark.skipif(MISSING != (), reason=f"this machine lacks {MISSING}")
@pytest.mark.parametrize("strict", [False, True])
def test_a_grade_says_which_fences_were_up(pieces: Exercise, strict: bool) -> None:
    with Grader(pieces, strict=strict, require_fences=True) as grader:
        grade = grader.grade(read_submission(RIGHT, pieces))
    assert grade.complete
    assert set(grade.fences) == set(UP) - (set() if strict else {"namespaces", "cgroup"})
    assert grade.missing_fences == ()


@pytest.mark.skipif("seccomp" not in UP, reason="takes Landlock away by a filter of system calls")
def test_without_a_fence_work_is_graded_and_the_report_says_so() -> None:
    result = course_without_landlock("--format", "json")
    report = json.loads(result.stdout)
    assert (result.returncode, report["earned"]) == (0, 5)
    assert "landlock" not in report["fences"]
    assert "lsm=" in next(each["reason"] for each in report["missing_fences"] if each["name"] == "landlock")


@pytest.mark.skipif("seccomp" not in UP, reason="takes Landlock away by a filter of system calls")
def test_where_fences_are_required_there_is_no_grade_without_one() -> None:
    result = course_without_landlock("--require-fences")
    assert (result.returncode, result.stdout) == (3, "")
    assert "not every fence can be had on this machine: landlock: the kernel has Landlock" in result.stderr
    assert "There is no score." in result.stderr
    assert "Traceback" not in result.stderr

"""The same submission, seed and version give the same report but for seconds, whatever else the machine does."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.course import Course
from grader.results import to_plain
from grader.runner import Grader, read_submission

from .conftest import CASES

ROOT = Path(__file__).parents[2]
LOAD = "import hashlib\nwhile True: hashlib.sha256(bytes(2**20)).digest()"


@pytest.fixture
def busy_machine() -> Iterator[None]:
    """Another process that keeps a processor busy."""
    with subprocess.Popen([sys.executable, "-c", LOAD]) as load:
        yield
        load.kill()


def without_seconds(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: without_seconds(value) for key, value in data.items() if key != "seconds"}
    return [without_seconds(each) for each in data] if isinstance(data, list) else data


@pytest.mark.parametrize(
    ("course", "exercise", "work", "times"),
    [
        (CASES / "course", "pieces", "submissions/one_rank_stays_away.py", 100),
        (CASES / "course", "pieces", "submissions/shapes_differ.py", 100),
        (ROOT, "lesson10", "half_done", 10),
    ],
    ids=["a hang", "a mismatch", "half done"],
)
def test_a_report_is_the_same_each_time(course: Path, exercise: str, work: str, times: int, busy_machine: None) -> None:
    found = Course.read(course / "course.yml").exercise(exercise)
    submission = read_submission(CASES / work, found)
    with Grader(found) as grader:
        first = without_seconds(to_plain(grader.grade(submission)))
        assert {"passed", "failed"} <= {criterion["status"] for criterion in first["criteria"]}
        for _ in range(times - 1):
            assert without_seconds(to_plain(grader.grade(submission))) == first

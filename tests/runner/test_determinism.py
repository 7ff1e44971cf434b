"""The same submission, seed and version give the same report but for seconds, whatever else the machine does."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from grader.course import Course
from grader.results import to_plain
from grader.runner import Grader, read_submission

from .conftest import CASES

ROOT = Path(__file__).parents[2]
LANES = 6


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
def test_a_report_is_the_same_each_time(course: Path, exercise: str, work: str, times: int) -> None:
    """Graded side by side on fewer processors than there are lanes, each holds up the others now and then."""
    found = Course.read(course / "course.yml").exercise(exercise)
    submission = read_submission(CASES / work, found)
    with Grader(found) as grader, ThreadPoolExecutor(LANES) as pool:
        reports = list(pool.map(lambda _: without_seconds(to_plain(grader.grade(submission))), range(times)))
    assert {"passed", "failed"} <= {criterion["status"] for criterion in reports[0]["criteria"]}
    assert all(report == reports[0] for report in reports)

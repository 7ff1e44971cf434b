"""The first report that a brief shows is what grading the code above it prints."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from grader.course import Course
from grader.report import Options, render
from grader.runner import Grader, read_submission

COURSE = Course.read(Path(__file__).parents[2] / "course.yml")
SHOWN = re.compile(r"^```python\n(def .*?)^```\n.*?^```\n(FAILED .*?)\n```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("id", COURSE.exercises())
def test_the_report_in_the_brief_is_a_real_one(id: str) -> None:
    exercise = COURSE.exercise(id)
    found = SHOWN.search((exercise.folder / "README.md").read_text("utf-8"))
    assert found is not None
    code, report = found.groups()
    first = exercise.functions[0]
    stub = exercise.pristine(first.file).read_text("utf-8")
    stubs = read_submission(exercise.pristine(first.file).parent, exercise)
    written = (stub[: stub.index(f"def {first.name}(")] + code).encode()
    with Grader(exercise) as grader:
        grade = grader.grade(replace(stubs, files={**stubs.files, first.file: written}))
    printed = render(grade, "text", Options(width=80)).split("\n\n")
    assert [part for part in report.split("\n\n") if part not in [each.strip("\n") for each in printed]] == []

"""Designs of lesson 10 that are right and unlike the reference: its suite must accept them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from grader.course import Course
from grader.runner import Grader, read_submission

EXERCISE = Course.read(Path(__file__).parents[2] / "course.yml").exercise("lesson10")
DESIGNS = sorted(folder for folder in (Path(__file__).parent / "lesson10" / "designs").iterdir() if folder.is_dir())


@pytest.fixture(scope="module")
def grader() -> Iterator[Grader]:
    with Grader(EXERCISE) as grader:
        yield grader


@pytest.mark.parametrize("design", DESIGNS, ids=lambda folder: folder.name)
def test_a_right_design_earns_everything(grader: Grader, design: Path) -> None:
    assert EXERCISE.suite is not None
    reference = read_submission(EXERCISE.suite / "reference", EXERCISE)
    changed = {path.name: path.read_bytes() for path in design.glob("*.py")}
    grade = grader.grade(replace(reference, files={**reference.files, **changed}))
    assert {each.id: each.message for each in grade.criteria if each.status != "passed"} == {}
    assert grade.earned == grade.points == 100

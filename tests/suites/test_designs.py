"""Designs that are right and unlike the reference: the suites must accept them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from grader.course import Course
from grader.runner import Grader, read_submission

HERE = Path(__file__).parent
COURSE = Course.read(HERE.parents[1] / "course.yml")
DESIGNS = sorted(folder for folder in HERE.glob("*/designs/*") if folder.is_dir())


@pytest.fixture(scope="module")
def grader(request: pytest.FixtureRequest) -> Iterator[Grader]:
    with Grader(COURSE.exercise(request.param)) as grader:
        yield grader


@pytest.mark.parametrize(
    ("grader", "design"),
    [pytest.param(design.parents[1].name, design, id=f"{design.parents[1].name}-{design.name}") for design in DESIGNS],
    indirect=["grader"],
)
def test_a_right_design_earns_everything(grader: Grader, design: Path) -> None:
    exercise = COURSE.exercise(design.parents[1].name)
    assert exercise.suite is not None
    reference = read_submission(exercise.suite / "reference", exercise)
    changed = {path.name: path.read_bytes() for path in design.glob("*.py")}
    grade = grader.grade(replace(reference, files={**reference.files, **changed}))
    assert {each.id: each.message for each in grade.criteria if each.status != "passed"} == {}
    assert grade.earned == grade.points == 100

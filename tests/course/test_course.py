"""The course: how it is found, and what it says of its exercises."""

from __future__ import annotations

import filecmp
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import grader.course.course
from grader.course import Course, CourseError
from grader.course.source import SCHEMAS

REPOSITORY = Path(__file__).parents[2]
GOOD = "schema: 1\ntitle: Sharding\ndescription: Pieces.\n"
MANIFEST = """\
title: One
lesson: one
summary: One function.
functions: [{name: f, file: f.py, points: 1, summary: One., hints: [Think.]}]
"""


def read_then_check(file: Path, *, check: bool) -> None:
    """Read as the command line does: what only the schema can see is seen by the check that follows."""
    Course.read(file, check=check)
    Course.read(file)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course with three exercises, and a package without one."""
    package = tmp_path / "site" / "grader"
    package.mkdir(parents=True)
    monkeypatch.setattr(grader.course.course, "PACKAGE", package)
    monkeypatch.chdir(tmp_path)
    root = tmp_path / "course"
    for id in ("lesson10", "lesson9", "lesson9b"):
        (root / "exercises" / id).mkdir(parents=True)
        (root / "exercises" / id / "exercise.yml").write_text(MANIFEST)
    (root / "exercises" / "notes").mkdir()
    (root / "course.yml").write_text(GOOD)
    return root


def test_exercises_are_in_natural_order(root: Path) -> None:
    assert Course.find(root).exercises() == ["lesson9", "lesson9b", "lesson10"]
    assert Course.find(root).exercise("lesson9").title == "One"


def test_a_course_is_found_above_the_path_then_above_the_current_folder(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Course.find(root / "exercises" / "lesson9").file == root / "course.yml"
    with pytest.raises(CourseError, match="no course found: change to a folder of the course"):
        Course.find(root.parent)
    monkeypatch.chdir(root / "exercises")
    assert Course.find(root.parent / "work").file == root / "course.yml"


def test_the_packaged_course_comes_last(root: Path) -> None:
    content = root.parent / "site" / "grader" / "content"
    content.mkdir()
    (content / "course.yml").write_text(GOOD)
    assert Course.find(root.parent).file == content / "course.yml"
    assert Course.find(root).file == root / "course.yml"


def test_suites_are_named_or_come_with_the_package(root: Path) -> None:
    assert Course.find(root).suites is None
    (root.parent / "site" / "grader" / "suites").mkdir()
    assert Course.find(root).suites == root.parent / "site" / "grader" / "suites"
    (root / "course.yml").write_text(GOOD + "suites: ../private\n")
    assert Course.find(root).suites == root / "../private"


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file must be keys and values, beginning with `schema: 1`; got nothing"),
        ("schema: 2\ntitle: a\ndescription: b\n", "`schema` must be 1"),
        ("schema: 1\ndescription: b\n", "`title` is missing"),
        (GOOD + "suite: x\n", "did you mean `suites`?"),
        (GOOD + "severities: {links: of}\n", 'must be error, warning or off; got the text "of"'),
        (GOOD + "severities: [off]\n", "got a list of 1"),
    ],
)
def test_a_mistake_is_a_course_error(root: Path, text: str, message: str, check: bool) -> None:
    (root / "course.yml").write_text(text)
    with pytest.raises(CourseError) as caught:
        read_then_check(root / "course.yml", check=check)
    assert message in caught.value.message


def test_off_and_on_are_words(root: Path) -> None:
    (root / "course.yml").write_text(GOOD + "severities: {links: off}\n")
    assert Course.find(root).severities == {"links": "off"}


def properties(schema: Any) -> Iterator[Any]:
    """Every schema inside ``schema`` that a value can fail."""
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == "properties":
                yield from value.values()
            yield from properties(value)


@pytest.mark.parametrize("name", ["course", "exercise"])
def test_every_key_of_a_schema_says_what_it_expects(name: str) -> None:
    schema = json.loads((SCHEMAS / f"{name}.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    assert all("description" in found for found in properties(schema))


def test_this_repository_is_a_course_whose_stubs_are_pristine() -> None:
    course = Course.find(REPOSITORY)
    assert course.file == REPOSITORY / "course.yml"
    for id in course.exercises():
        exercise = course.exercise(id)
        stubs = sorted(file.name for file in (exercise.folder / ".pristine").iterdir() if file.is_file())
        assert stubs == sorted(exercise.files)
        for name in exercise.files:
            assert filecmp.cmp(exercise.folder / name, exercise.pristine(name), shallow=False), name

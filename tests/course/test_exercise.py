"""The manifest of an exercise: what it says, and what it says when something in it is wrong."""

from __future__ import annotations

import json
from dataclasses import asdict
from decimal import Decimal
from pathlib import Path

import pytest

from grader.course import CourseError, Exercise
from grader.course.exercise import read_exercise
from grader.limits import Limits

GOOD = """\
title: Two
lesson: two
summary: Two functions.
world_sizes: [1, 2]
imports: [numpy, grader.devices]
given: [layers.py]
limits: {seconds: 0.5}
functions:
  - name: shard
    file: shard.py
    points: 0.1
    summary: One.
    hints: [Think.]
  - name: gather
    file: shard.py
    points: 2
    summary: Two.
    hints: [Think., Again.]
x-note: free
"""


def read(folder: Path, text: str, *, check: bool = True) -> Exercise:
    (folder / "exercise.yml").write_text(text, "utf-8")
    return read_exercise(folder, folder.parent / "suites", check=check)


def read_then_check(folder: Path, text: str, *, check: bool) -> None:
    """Read as the command line does: what only the schema can see is seen by the check that follows."""
    read(folder, text, check=check)
    read(folder, text)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "two"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("check", [True, False])
def test_a_manifest_as_data(folder: Path, check: bool) -> None:
    exercise = read(folder, GOOD, check=check)
    assert exercise.id == "two"
    assert exercise.imports == ("numpy", "grader.devices")
    assert exercise.limits == Limits(seconds=0.5, wall_seconds=1.0)
    assert exercise.files == ("shard.py",)
    assert exercise.points == Decimal("2.1")
    assert [function.line for function in exercise.functions] == [9, 14]
    assert exercise.functions[1].hints == ("Think.", "Again.")
    assert exercise.pristine("shard.py") == folder / ".pristine" / "shard.py"


def test_limits_are_numbers_that_json_takes(folder: Path) -> None:
    exercise = read(
        folder, GOOD.replace("{seconds: 0.5}", "{seconds: 0.5, total_seconds: 2.5, open_files: 8, x-why: 1}")
    )
    assert json.loads(json.dumps(asdict(exercise.limits))) == asdict(Limits(0.5, 1.0, 2.5, open_files=8))


def test_the_suite_is_a_folder_or_nothing(folder: Path) -> None:
    assert read(folder, GOOD).suite is None
    (folder.parent / "suites" / "two").mkdir(parents=True)
    assert read(folder, GOOD).suite == folder.parent / "suites" / "two"


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ("title: Two", "tilte: Two", "1:1", "unknown key `tilte`: did you mean `title`?"),
        ("title: Two\n", "", "1:1", "`title` is missing: the exercise's title as text"),
        ("title: Two", "title: Two\ncolour: red", "2:1", "unknown key `colour`: known are title"),
        ("points: 2", "points: 2 points", "16:13", 'must be the sum of its criteria\'s points, above 0'),
        ("points: 2", "points: '2'", "16:13", 'got the text "2"'),
        ("points: 2", "points: 0", "16:13", "got the number 0"),
        ("points: 0.1", "points: 0.1234567", "11:13", "at most 6 decimals"),
        ("hints: [Think.]", "hints: Think.", "13:12", "a list of at least one hint"),
        ("name: gather", "name: shard", "14:11", "`shard` is given twice, first in line 9"),
        ("[layers.py]", "[shard.py]", "10:11", "`shard.py` is also in `given`"),
        ("[1, 2]", "[1, two]", "4:18", "item 2 of `world_sizes` must be a number of ranks"),
        ("file: shard.py", "file: ../shard.py", "10:11", "the name of the Python file"),
        ("{seconds: 0.5}", "{second: 0.5}", "7:10", "did you mean `seconds`?"),
        ("{seconds: 0.5}", "{seconds: 1e999}", "7:19", "a number of seconds"),
        ("{seconds: 0.5}", "[5]", "7:9", "`limits` must be keys and values"),
        ("functions:", "functions: none\nx-functions:", "8:12", "`functions` must be a list of functions"),
        ("title: Two", "title: A: B", "1:9", "put the value in quotes"),
    ],
)  # fmt: skip
def test_a_mistake_has_its_place(folder: Path, old: str, new: str, place: str, message: str, check: bool) -> None:
    wrong = GOOD.replace(old, new, 1)
    with pytest.raises(CourseError) as caught:
        read_then_check(folder, wrong, check=check)
    assert f"{caught.value.line}:{caught.value.column}" == place
    assert message in caught.value.message
    assert caught.value.file == folder / "exercise.yml"


@pytest.mark.parametrize("text", ["", "[]", "text", "functions: [1]"])
def test_another_shape_altogether_is_a_course_error(folder: Path, text: str) -> None:
    with pytest.raises(CourseError):
        read(folder, text, check=False)


def test_a_file_that_is_missing_or_not_utf_8(folder: Path) -> None:
    with pytest.raises(CourseError, match="No such file"):
        read_exercise(folder, None)
    (folder / "exercise.yml").write_bytes(b"title: x\nsummary: \xff\n")
    with pytest.raises(CourseError, match=r":2:10: byte 0xFF is not UTF-8"):
        read_exercise(folder, None)

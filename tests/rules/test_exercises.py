"""Exercises whose stubs, suites and manifests do not fit each other."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.rules.checking import SMALL, findings

STUB = "exercises/leap/.pristine/leap.py"
REFERENCE = "hidden/leap/reference/leap.py"
MANIFEST = "exercises/leap/exercise.yml"
SIGNATURE = "def is_leap(year: int) -> bool:"


@pytest.mark.parametrize(
    ("file", "before", "after", "expected"),
    [
        (
            STUB,
            SIGNATURE,
            "def is_leap(year: int = 2000) -> bool:",
            f"{STUB}:4: the stub has is_leap(year=2000)",
        ),
        (STUB, SIGNATURE, "def is_leap(*year: int) -> bool:", f"{STUB}:4: the stub has is_leap(*year), and the"),
        (
            STUB,
            SIGNATURE,
            "def leap(year: int) -> bool:",
            f"{STUB}:None: the stub of `is_leap` does not define",
        ),
        (STUB, SIGNATURE, "def is_leap(year:", f"{STUB}:4: the stub of `is_leap` is no Python: '(' was never closed"),
        (STUB, "raise NotImplementedError", "return False", f"{STUB}:4: the stub of `is_leap` lacks `raise NotImpl"),
        (STUB, "# TODO: write the rule.", "TODO = 1", f"{STUB}:4: the stub of `is_leap` lacks a comment with TODO"),
        (REFERENCE, "is_leap", "leap", f"{MANIFEST}:5: the reference solution has no `is_leap` in leap.py"),
        (MANIFEST, "lesson: lesson1", "lesson: lesson9", f"{MANIFEST}:2: there is no lesson `lesson9`: did you mean"),
        (MANIFEST, "name: days_in", "name: is_leap", f"{MANIFEST}:13: `is_leap` is given twice, first in line 5"),
        (
            MANIFEST,
            "    hints:\n      - Which",
            "    hint:\n      - Which",
            f"{MANIFEST}:9: unknown key `hint`",
        ),
    ],
)
def test_what_does_not_fit_is_found(file: str, before: str, after: str, expected: str, tmp_path: Path) -> None:
    root = tmp_path / "course"
    shutil.copytree(SMALL, root)
    content = (root / file).read_text("utf-8")
    assert before in content
    (root / file).write_text(content.replace(before, after), "utf-8")
    found = [f"{finding.path}:{finding.line}: {finding.message}" for finding in findings(root)]
    assert [line for line in found if line.startswith(expected)], found


def test_types_are_no_difference(tmp_path: Path) -> None:
    root = tmp_path / "course"
    shutil.copytree(SMALL, root)
    (root / STUB).write_text((root / STUB).read_text("utf-8").replace(SIGNATURE, "def is_leap(year):"), "utf-8")
    assert findings(root) == ()


def test_a_learners_edition_has_nothing_to_compare_with(tmp_path: Path) -> None:
    root = tmp_path / "course"
    shutil.copytree(SMALL, root, ignore=shutil.ignore_patterns("hidden"))
    (root / STUB).write_text((root / STUB).read_text("utf-8").replace("year: int", "date: int"), "utf-8")
    assert findings(root) == ()


def test_what_a_learner_has_written_is_not_looked_at(tmp_path: Path) -> None:
    root = tmp_path / "course"
    shutil.copytree(SMALL, root)
    (root / "exercises" / "leap" / "leap.py").write_text("def is_leap(")
    assert findings(root) == ()


def test_a_suite_out_of_the_course_is_named_in_the_manifest(tmp_path: Path) -> None:
    root = tmp_path / "course"
    shutil.copytree(SMALL, root)
    (root / "hidden").rename(tmp_path / "hidden")
    course, suite = root / "course.yml", tmp_path / "hidden" / "leap" / "test_leap.py"
    course.write_text(course.read_text("utf-8").replace("suites: hidden", "suites: ../hidden"), "utf-8")
    suite.write_text(suite.read_text("utf-8").replace("student.days_in", "student.day_in"), "utf-8")
    (finding,) = findings(root)
    assert (finding.rule, finding.path) == ("suite-names", MANIFEST)
    assert finding.message == "line 23 of test_leap.py calls `day_in`, which no manifest lists: did you mean `days_in`?"

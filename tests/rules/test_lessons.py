"""Whole lessons that are wrong: files, each with what is to be found beside it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from grader.rules import LessonRule, rules
from grader.rules.fixes import fix
from tests.rules.checking import SMALL, findings, shown

CASES = Path(__file__).parents[1] / "cases" / "lessons"
OF_LESSONS = {
    id for id, rule in rules().items() if isinstance(rule, LessonRule) or ".frontmatter." in type(rule).__module__
}
NAMED = {
    "the heading": ("# Lesson 1. Leap Years\n\n", ""),
    "the number": ("# Lesson 1. Leap Years", "# Lesson 9. Leap Years"),
    "another title": ("# Lesson 1. Leap Years", "Leap years\n=========="),
    "the list": ("- **Mission:** [count the days of a year](mission.md#count-days)\n", ""),
    "an item": ("- **Prerequisites:** none\n", "- **Prerequisites:** none\n- **Time:** 5 minutes\n"),
    "the link": ("&place=lesson1).", ")."),
}


@pytest.mark.parametrize("case", sorted(CASES.glob("*.md")), ids=lambda case: case.stem)
def test_what_is_found(case: Path, tmp_path: Path) -> None:
    """The file stands for lesson 1 of the small course."""
    shutil.copytree(SMALL, tmp_path / "course")
    shutil.copyfile(case, tmp_path / "course" / "lessons" / "lesson1.md")
    found = [
        shown(finding)
        for finding in findings(tmp_path / "course")
        if finding.path == "lessons/lesson1.md" and finding.rule in OF_LESSONS
    ]
    assert "\n".join(found) == case.with_suffix(".txt").read_text("utf-8")


@pytest.mark.parametrize(("right", "wrong"), NAMED.values(), ids=NAMED)
def test_what_is_written_from_the_data_is_written_right(right: str, wrong: str, tmp_path: Path) -> None:
    root = tmp_path / "course"
    shutil.copytree(SMALL, root)
    file = root / "lessons" / "lesson1.md"
    file.write_text(file.read_text("utf-8").replace(right, wrong), "utf-8")
    found = findings(root)
    assert found
    mended, count = fix(file.read_bytes(), found)
    assert count == len(found)
    file.write_bytes(mended)
    assert findings(root) == ()

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

QUESTION = """\
    - a) 4 does not divide it.
    - b) It is an even year.
    - c) It ends in 00, as 2000 does.
    - d) It is a century that 400 does not divide.

    <details>
    <summary>Answer</summary>

    **Answer: d**

    - a) No. It does: 4 · 525.
    - b) No. So is every leap year.
    - c) No. 2000 is a leap year.
    - d) Yes. That is the exception to the exception.

    </details>
"""
# What a question of the small course may say otherwise, and is wrong about only as is said here.
WRITTEN = {
    "single quotes": ('<a id="why-2100">', "<a id='why-2100'>", []),
    "another attribute": ('<a id="why-2100">', '<a class="mark" id="why-2100" href="#x">', []),
    "bold verdicts": ("- a) No. It does: 4", "- a) **No.** It does: 4", []),
    "a bold word": ("- a) No. It does: 4", "- a) **No**. It does: 4", []),
    "not closed": (
        QUESTION, QUESTION.replace("\n    </details>\n", ""), ["question 5: the block <details> is not closed"]
    ),
    "colon after the bold": (
        "**Answer: d**", "**Answer:** d", ["question 5: the answer does not say which kind it is"]
    ),
    "no blank line": (
        QUESTION, QUESTION.replace("</summary>\n\n", "</summary>\n"), ["question 5: the answer is not read as Markdown"]
    ),
    "capital letters": (
        "    - a) 4 does", "    - A) 4 does", ["question 5: here choice a) is expected, and there is no letter"]
    ),
}  # fmt: skip


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


@pytest.mark.parametrize(("right", "wrong", "expected"), WRITTEN.values(), ids=WRITTEN)
def test_what_a_question_may_say(right: str, wrong: str, expected: list[str], tmp_path: Path) -> None:
    root = tmp_path / "course"
    shutil.copytree(SMALL, root)
    file = root / "lessons" / "lesson1.md"
    content = file.read_text("utf-8")
    assert right in content
    file.write_text(content.replace(right, wrong), "utf-8")
    found = findings(root)
    assert [finding.message for finding in found if finding.rule != "link-anchor"] == expected
    assert all(") A)" not in (finding.fix or "") for finding in found)


def test_a_heading_is_not_cut_with_a_title_that_is_cut(tmp_path: Path) -> None:
    root = tmp_path / "course"
    shutil.copytree(SMALL, root)
    file = root / "lessons" / "lesson1.md"
    content = file.read_text("utf-8").replace("title: Leap Years\n", "title: Leap #2\n")
    file.write_text(content.replace("# Lesson 1. Leap Years\n", "# Lesson 1. Leap #2\n"), "utf-8")
    found = findings(root)
    assert {finding.rule for finding in found} == {"frontmatter-cut", "lesson-title"}
    assert fix(file.read_bytes(), found) == (file.read_bytes(), 0)


@pytest.mark.parametrize("order", ["0", "-1", "'1'"])
def test_no_heading_is_written_from_a_number_that_is_none(order: str, tmp_path: Path) -> None:
    root = tmp_path / "course"
    shutil.copytree(SMALL, root)
    file = root / "lessons" / "lesson1.md"
    file.write_text(file.read_text("utf-8").replace("order: 1\n", f"order: {order}\n"), "utf-8")
    assert "lesson-title" not in {finding.rule for finding in findings(root)}

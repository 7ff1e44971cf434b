"""What README.md shows is what the tool prints."""

from __future__ import annotations

import re
from pathlib import Path

from grader.course import Course
from grader.report import Options, render
from grader.runner import Grader, read_submission

ROOT = Path(__file__).parent.parent
SECONDS = re.compile(r"\d+\.\d\d s, seed")


def test_the_report_in_the_readme_is_a_real_one() -> None:
    exercise = Course.find(ROOT).exercise("lesson10")
    with Grader(exercise) as grader:
        grade = grader.grade(read_submission(ROOT / "tests" / "cases" / "half_done", exercise))
    printed = SECONDS.sub("0.00 s, seed", render(grade, "text", Options(width=80)).strip("\n"))
    shown = re.findall(r"^```\n(lesson10 .*?)\n```$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert [SECONDS.sub("0.00 s, seed", each) for each in shown] == [printed]

"""What an edition says is graded elsewhere: read strictly, and taken off what is graded here."""

from __future__ import annotations

import shutil
from decimal import Decimal
from pathlib import Path

import pytest

from grader.course import CourseError
from grader.course.exercise import ELSEWHERE, Exercise, Part, read_exercise

COURSE = Path(__file__).parents[1] / "cases" / "course"


def read(tmp_path: Path, text: str | None) -> Exercise:
    """The exercise ``pieces``, whose suite says ``text`` of what is graded elsewhere."""
    shutil.copytree(COURSE / "private" / "pieces", tmp_path / "pieces")
    if text is not None:
        (tmp_path / "pieces" / ELSEWHERE).write_text(text)
    return read_exercise(COURSE / "exercises" / "pieces", tmp_path)


def test_a_whole_suite_has_nothing_elsewhere(tmp_path: Path) -> None:
    exercise = read(tmp_path, None)
    assert not exercise.edition
    assert {function.elsewhere for function in exercise.functions} == {Part()}


def test_an_edition_has_the_rest_of_each_function(tmp_path: Path) -> None:
    exercise = read(tmp_path, "functions:\n  keep: {criteria: 1, points: 1}\n  total: {criteria: 2, points: 0.5}\n")
    assert exercise.edition
    assert [function.points_here for function in exercise.functions] == [2, 1, Decimal("0.5")]
    assert exercise.functions[1].elsewhere == Part(2, Decimal("0.5"))


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("functions:\n  kept: {criteria: 1, points: 1}\n", 2, "`kept`: .* has no such function"),
        ("functions:\n  keep: {criteria: 1, points: 3.5}\n", 2, "`keep`: .* has 3 points"),
        ("functions:\n  keep: {criteria: 0, points: 1}\n", 2, "`criteria` must be a whole number of criteria"),
        ("functions:\n  keep: {criteria: 1, points: 1, title: x}\n", 2, "unknown key `title`"),
        ("functions: []\n", 1, "`functions` must be keys and values"),
        ("{}\n", 1, "`functions` is missing"),
    ],
)
def test_what_it_cannot_mean_is_said_with_its_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    with pytest.raises(CourseError, match=message) as refused:
        read(tmp_path, text)
    assert (refused.value.file, refused.value.line) == (tmp_path / "pieces" / ELSEWHERE, line)

"""Lessons, mission and exercises that do not hang together."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.rules.checking import SMALL, findings

LESSON = "lessons/lesson{}.md"
MISSION = "lessons/mission.md"
BRIEF = "exercises/leap/README.md"
CYCLES = {
    "two": ({2: "lesson3"}, ["lesson2 -> lesson3 -> lesson2"]),
    "three": ({1: "lesson3", 3: "lesson2"}, ["lesson1 -> lesson3 -> lesson2 -> lesson1"]),
    "two circles": (
        {1: "lesson2, lesson3"},
        ["lesson1 -> lesson2 -> lesson1", "lesson1 -> lesson3 -> lesson2 -> lesson1"],
    ),
    "itself": ({2: "lesson2"}, []),
    "none": ({2: "lesson1", 3: "lesson1"}, []),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    shutil.copytree(SMALL, tmp_path / "course")
    return tmp_path / "course"


def change(file: Path, before: str, after: str) -> None:
    content = file.read_text("utf-8")
    assert before in content
    file.write_text(content.replace(before, after), "utf-8")


def found(root: Path, rule: str) -> list[str]:
    return [f"{each.path}:{each.line}: {each.message}" for each in findings(root) if each.rule == rule]


@pytest.mark.parametrize(("needs", "cycles"), CYCLES.values(), ids=CYCLES)
def test_circles_are_shown(needs: dict[int, str], cycles: list[str], root: Path) -> None:
    for number, ids in needs.items():
        file = root / LESSON.format(number)
        before = next(line for line in file.read_text("utf-8").splitlines() if line.startswith("prerequisites"))
        change(file, before, f"prerequisites: [{ids}]")
    assert [line.partition("each other: ")[2] for line in found(root, "prerequisite-cycle")] == cycles
    itself = [f"{LESSON.format(2)}:7: `lesson2` is this lesson itself"] if needs == {2: "lesson2"} else []
    assert found(root, "prerequisites") == itself


def test_a_prerequisite_comes_earlier(root: Path) -> None:
    change(root / LESSON.format(1), "order: 1", "order: 7")
    assert found(root, "prerequisites") == [
        "lessons/lesson2.md:7: `lesson1` comes later: its order is 7, and this lesson's is 2",
        "lessons/lesson3.md:7: `lesson1` comes later: its order is 7, and this lesson's is 3",
    ]


@pytest.mark.parametrize(
    ("file", "before", "after", "expected"),
    [
        (MISSION, '<a id="plan-by-week"></a>', "", [f"{MISSION}:11: a point without an id"]),
        (
            MISSION,
            'id="name-the-day"',
            'id="count-days"',
            [f"{MISSION}:10: the id `count-days` is given twice, first in line 9"],
        ),
        (
            MISSION,
            "**plan by the week**",
            "**plan by the week** (planned)",
            [f"{MISSION}:11: `plan-by-week` is marked as planned, and a lesson serves it"],
        ),
        (
            LESSON.format(3),
            "minutes: 20",
            "minutes: 20\nstatus: draft",
            [f"{MISSION}:11: only a draft, lesson3, serves `plan-by-week`"],
        ),
        (
            MISSION,
            "## Success looks like",
            "## Success",
            [f'{MISSION}:None: the mission is missing: a page with points under a heading "Success looks like"'],
        ),
    ],
    ids=["no id", "id twice", "served though planned", "a draft", "no points"],
)
def test_the_mission(file: str, before: str, after: str, expected: list[str], root: Path) -> None:
    change(root / file, before, after)
    assert found(root, "mission-served") == expected


def test_a_course_without_a_mission(root: Path) -> None:
    (root / MISSION).unlink()
    assert len(found(root, "mission-served")) == 1
    assert found(root, "mission-point")[0].endswith("has no point `count-days`; there are none yet")


def test_an_exercise_has_a_brief(root: Path) -> None:
    (root / BRIEF).unlink()
    brief = ["exercises/leap/exercise.yml:None: the brief is missing: the page that says what to write"]
    assert found(root, "exercise-lesson") == brief

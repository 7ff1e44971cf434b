"""``course release``: what it says, and that it refuses before it changes anything."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from .conftest import Run

SMALL = Path(__file__).parents[1] / "cases" / "small_course"


@pytest.fixture
def calendar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course of which half is hidden, and of that nothing is in its lessons."""
    root = tmp_path / "calendar"
    shutil.copytree(SMALL, root)
    suite = root / "hidden" / "leap" / "test_leap.py"
    source = suite.read_text().replace("(2000, True), (2100, False), (2400, True)", "(2800, True), (2700, False)")
    wanted = 'title="knows the centuries"'
    assert source.count(wanted) == 1
    suite.write_text(source.replace(wanted, f'{wanted}, visibility="hidden"'))
    monkeypatch.chdir(root)
    return root


def test_it_says_what_is_released_and_what_is_written(run: Run, calendar: Path) -> None:
    first = run("release", "../out", "--exercise", "leap")
    assert (first.code, first.err) == (0, "")
    said, written = first.out.splitlines()
    assert said == "leap: 2 criteria, 2 points; graded elsewhere: 1 criteria, 2 points"
    assert written.startswith("../out: ")
    assert " 0 changed, 0 removed." in written

    (calendar / "lessons" / "lesson3.md").unlink()
    (calendar.parent / "out" / "README.md").write_text("Ours.\n")
    second = run("release", "../out")
    assert second.code == 2
    assert "these files changed since they were released: README.md. Nothing was changed." in second.err
    assert (calendar.parent / "out" / "lessons" / "lesson3.md").exists()


def test_a_lesson_that_tells_an_answer_keeps_all_back(run: Run, calendar: Path) -> None:
    with (calendar / "lessons" / "lesson1.md").open("a") as lesson:
        lesson.write("\nTry 2,700, too.\n")
    line = len((calendar / "lessons" / "lesson1.md").read_text().splitlines())
    done = run("release", "../out")
    assert done.code == 3
    assert "hidden/leap/test_leap.py:15:" in done.err
    assert f"lessons/lesson1.md, line {line}: '2700' of is_leap-centuries" in done.err
    assert not (calendar.parent / "out").exists()


def test_an_unknown_exercise_is_named_with_those_that_there_are(run: Run, calendar: Path) -> None:
    done = run("release", "../out", "--exercise", "lep")
    assert done.code == 2
    assert "no exercise is called 'lep'" in done.err
    assert "leap" in done.err

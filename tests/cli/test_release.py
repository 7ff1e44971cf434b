"""``course release`` refuses before it changes anything. What it says and writes is in tests/release."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from grader.release import write_release

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


def test_what_was_changed_since_keeps_all_as_it_is(run: Run, calendar: Path) -> None:
    out = calendar.parent / "out"
    write_release(out, {"README.md": b"Theirs.\n", "lessons/lesson4.md": b"Of an earlier release.\n"})
    (out / "README.md").write_text("Ours.\n")
    before = {file: file.read_bytes() for file in out.rglob("*") if file.is_file()}
    done = run("release", "../out")
    assert (done.code, done.out) == (2, "")
    assert "these files changed since they were released: README.md. Nothing was changed." in done.err
    assert {file: file.read_bytes() for file in out.rglob("*") if file.is_file()} == before


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

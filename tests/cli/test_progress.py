"""``course progress``: what it shows of what was done, and the ticks of reps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from grader.cli._progress import keep, load
from grader.study import History

from .terminal import in_terminal

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def row(out: str, lesson: str) -> list[str]:
    (line,) = (line for line in out.splitlines() if line.startswith(f"  {lesson} "))
    return line.split()


def test_at_the_beginning(run: Any) -> None:
    result = run("progress")
    assert (result.code, result.err) == (0, "")
    assert row(result.out, "lesson10") == ["lesson10", "-", "0", "of", "3", "0", "of", "10", "0", "of", "3", "-"]
    assert "[ ]" not in result.out
    assert result.out.endswith("Due    nothing today\n")


def test_what_was_read_answered_done_and_graded(run: Any) -> None:
    keep("read", "lesson10")
    keep("answered", "lesson10#stage-2-limit", "wrong")
    keep("answered", "lesson10#stage-2-limit", "right")
    keep("answered", "lesson10#factor-32", "right")
    keep("answered", "lesson10#factor-32", "wrong")
    keep("answered", "lesson10#seven-rows", "right")
    keep("graded", "lesson10", "10 of 100")
    keep("graded", "lesson10", "52.5 of 100")
    result = run("progress", "--done", "read-forward")
    today = load().events[0].day
    assert row(result.out, "lesson10") == f"lesson10 {today} 1 of 3 1 of 10 1 of 3 52.5 of 100 points".split()
    assert row(result.out, "lesson09")[1] == "-"
    assert "  [x] lesson10#read-forward, now\n  [ ] lesson10#hundred-billion, now\n" in result.out
    assert "lesson09#" not in result.out
    assert result.out.endswith("Due    1 rep: course review\n")


def test_a_lesson_that_was_read_in_a_terminal_is_kept(run: Any) -> None:
    run("read", "lesson10")
    assert load() == History()
    in_terminal(["read", "lesson10"], [("Warm-up", "q")], folder=ROOT, rows=40)
    assert [(event.kind, event.item) for event in load().events] == [("read", "lesson10")]


def test_a_tick_can_be_taken_off(run: Any) -> None:
    run("progress", "--done", "read-forward", "--done", "lesson10#name-the-stage")
    result = run("progress", "--undo", "lesson10#read-forward")
    assert "[ ] lesson10#read-forward" in result.out
    assert "[x] lesson10#name-the-stage" in result.out


def test_a_rep_that_does_not_exist(run: Any, progress: Path) -> None:
    result = run("progress", "--done", "read-forwards", "--done", "name-the-stage")
    assert result.code == 2
    assert "no rep is called 'read-forwards'. Did you mean" in result.err
    assert not progress.exists()


def test_a_name_that_two_lessons_have(run: Any, root: Path) -> None:
    text = (ROOT / "tests" / "cases" / "small_course" / "lessons" / "lesson1.md").read_text()
    (root / "lessons").mkdir()
    for name in ("one", "two"):
        (root / "lessons" / f"{name}.md").write_text(text)
    rep = load_reps(root)[0]
    result = run("progress", "--done", rep)
    assert result.code == 2
    assert f"several reps are called {rep!r}" in result.err
    assert run("progress", "--done", f"two#{rep}").code == 0
    assert [event.item for event in load().events] == [f"two#{rep}"]


def load_reps(root: Path) -> list[str]:
    from grader.course import Course

    return [rep.id for rep in Course.read(root / "course.yml").lesson("one").reps if rep.id]


def test_an_export_is_all_that_is_kept(run: Any, progress: Path) -> None:
    assert json.loads(run("progress", "--export").out) == {"schema": 1, "events": []}
    keep("read", "lesson10")
    keep("answered", "lesson10#gone", "right")
    assert run("progress", "--export").out == progress.read_text()


def test_progress_of_what_the_course_no_longer_has_is_kept(run: Any) -> None:
    keep("answered", "lesson1#gone", "wrong")
    keep("rep", "lesson10#gone", "done")
    result = run("progress", "--done", "read-forward")
    assert result.code == 0
    assert "gone" not in result.out
    assert len(load().events) == 3

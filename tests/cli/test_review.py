"""``course review``: what is due on later days, made by writing what happened on earlier ones."""

from __future__ import annotations

import io
import sys
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from grader.cli._progress import load
from grader.course import Course
from grader.study import Event, History

from .terminal import in_terminal

ROOT = Path(__file__).parents[2]
COURSE = Course.read(ROOT / "course.yml")
LESSONS = {lesson.id: lesson for lesson in COURSE.lessons()}
TODAY = date.today()


def happened(progress: Path, *events: tuple[int, str, str, str]) -> None:
    """Let things have happened, each some days ago."""
    progress.parent.mkdir(parents=True)
    found = [Event(TODAY - timedelta(ago), kind, item, result) for ago, kind, item, result in events]  # type: ignore[arg-type]
    progress.write_text(History(tuple(found)).write())


@pytest.fixture
def review(run: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    def review(*lines: str) -> Any:
        monkeypatch.chdir(ROOT)
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        return run("review")

    return review


def test_at_the_beginning_nothing_is_due(review: Any) -> None:
    result = review()
    assert (result.code, result.out) == (0, "Nothing is due. Begin with: course quiz LESSON\n")


def test_what_is_due_later_has_its_day(review: Any, progress: Path) -> None:
    reps = [(0, "rep", f"lesson10#{rep.id}", "done") for rep in LESSONS["lesson10"].reps]
    happened(progress, (0, "answered", "lesson10#factor-32", "right"), *reps)
    assert review().out == f"Nothing is due. The next is on {TODAY + timedelta(1)}.\n"


def test_questions_of_all_lessons_and_tomorrows_reps_come_back(review: Any, progress: Path) -> None:
    happened(
        progress,
        (1, "answered", "lesson10#factor-32", "wrong"),
        (2, "answered", "lesson09#mean-of-four", "right"),
        (0, "answered", "lesson10#seven-rows", "wrong"),
        *((1, "rep", f"lesson10#{rep.id}", "done") for rep in LESSONS["lesson10"].reps if rep.day == "Now"),
        *((1, "rep", f"lesson09#{rep.id}", "done") for rep in LESSONS["lesson09"].reps),
    )
    result = review("2.5", "32", "y")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("Due: 2 questions and 1 rep.\n")
    assert result.out.index("lesson09, warm-up 2 (1 of 2)") < result.out.index("lesson10, practice 1 (2 of 2)")
    assert "lesson10, to do (tomorrow, 15 min)" in result.out
    assert "Done when you can say what it leaves whole" in " ".join(result.out.split())
    assert "2 of 2 right." in result.out
    new = [(event.item, event.result) for event in load().events if event.day == TODAY]
    assert new[1:] == [
        ("lesson09#mean-of-four", "right"),
        ("lesson10#factor-32", "right"),
        ("lesson10#name-the-stage", "done"),
    ]
    assert "Nothing is due." in review().out


def test_a_rep_that_is_not_done_stays_due(review: Any, progress: Path) -> None:
    happened(progress, (1, "read", "lesson10", ""))
    due = f"Due: {len(LESSONS['lesson10'].reps)} reps."
    assert review(*["n"] * len(LESSONS["lesson10"].reps)).out.startswith(due)
    assert review().out.startswith(due)


def test_who_leaves_keeps_what_was_done(progress: Path) -> None:
    happened(progress, (1, "read", "lesson10", ""))
    code, shown = in_terminal(["review"], [("Is it done?", "y\n"), ("Is it done?", "\x03")], folder=ROOT)
    assert code == 130
    assert "Go on  course review" in shown
    assert [event.result for event in load().events] == ["", "done"]


def test_course_alone_says_what_is_due(run: Any, progress: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert "course review" not in run().out
    happened(progress, (1, "answered", "lesson10#factor-32", "wrong"), (3, "answered", "lesson10#bytes-7b", "right"))
    assert "\nDue    2 questions: course review\n" in run().out
    progress.write_text('{"schema": 2, "events": []}')
    result = run()
    assert (result.code, result.err) == (0, "")

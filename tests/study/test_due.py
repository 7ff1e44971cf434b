"""When questions come back, and when reps are due."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.course.library import Library
from grader.study import Event, History, due_in, due_questions, next_day, place
from grader.study.due import GAPS

DAY = date(2026, 11, 30)
LESSONS = tuple(Library(Path(__file__).parents[1] / "cases" / "small_course").lessons.values())
FIRST = LESSONS[0]
ASKED = place(FIRST, FIRST.questions[0])


def answers(*given: tuple[int, str]) -> list[Event]:
    """Answers to one question, by days from the first one."""
    return [Event(DAY + timedelta(days), "answered", ASKED, result) for days, result in given]


@pytest.mark.parametrize(
    ("given", "days"),
    [
        ([(0, "right")], 1),
        ([(0, "wrong")], 1),
        ([(0, "right"), (1, "right")], 4),
        ([(0, "right"), (1, "right"), (4, "right")], 11),
        ([(0, "right"), (1, "right"), (9, "right")], 16),
        # Too early to say anything about remembering.
        ([(0, "right"), (0, "right")], 1),
        ([(0, "wrong"), (0, "right")], 1),
        ([(0, "right"), (1, "right"), (3, "right")], 4),
        # Forgotten: from the beginning.
        ([(0, "right"), (1, "right"), (4, "wrong")], 5),
        ([(0, "right"), (1, "right"), (2, "wrong"), (3, "right")], 4),
        ([(0, "right"), (1, "right"), (4, "wrong"), (5, "right")], 6),
    ],
)
def test_a_question_comes_back(given: list[tuple[int, str]], days: int) -> None:
    assert next_day(answers(*given)) == DAY + timedelta(days)


def test_a_question_that_nobody_answered_does_not() -> None:
    assert next_day([]) is None


def test_gaps_end_at_the_longest() -> None:
    history: list[Event] = []
    day = DAY
    for gap in (*GAPS, GAPS[-1], GAPS[-1]):
        history.append(Event(day, "answered", ASKED, "right"))
        assert next_day(history) == day + timedelta(gap)
        day += timedelta(gap)


@given(st.lists(st.tuples(st.integers(0, 400), st.sampled_from(["right", "wrong"])), min_size=1).map(sorted))
def test_a_question_always_comes_back_after_its_last_answer_that_counts(given: list[tuple[int, str]]) -> None:
    due = next_day(answers(*given))
    assert due is not None
    last = DAY + timedelta(given[-1][0])
    assert last < due <= last + timedelta(GAPS[-1])


def test_questions_come_back_the_longest_overdue_first() -> None:
    one, two, three = (place(FIRST, question) for question in FIRST.questions[:3])
    history = History(
        (
            Event(DAY, "answered", two, "right"),
            Event(DAY - timedelta(3), "answered", one, "wrong"),
            Event(DAY - timedelta(1), "answered", three, "right"),
        )
    )
    assert due_questions(history, DAY) == [one, three]
    due = due_in(LESSONS, history, DAY)
    assert [place(lesson, question) for lesson, question in due.questions] == [one, three]
    assert DAY + timedelta(1) in due.later


def test_a_question_that_is_gone_does_not_come_back() -> None:
    history = History((Event(DAY, "answered", f"{FIRST.id}#gone", "wrong"),))
    assert due_in(LESSONS, history, DAY + timedelta(5)).questions == ()


@pytest.mark.parametrize("days", range(4))
def test_tomorrows_rep_is_due_the_day_after_its_lesson_was_begun(days: int) -> None:
    history = History((Event(DAY, "read", FIRST.id),))
    due = {rep.id for _, rep in due_in(LESSONS, history, DAY + timedelta(days)).reps}
    now, tomorrow = ({rep.id for rep in FIRST.reps if rep.day == day} for day in ("Now", "Tomorrow"))
    assert now
    assert tomorrow
    assert due == (now if days == 0 else now | tomorrow)


def test_a_rep_is_due_until_it_is_done() -> None:
    begun = Event(DAY, "read", FIRST.id)
    rep = FIRST.reps[0]
    done, undone = (Event(DAY, "rep", place(FIRST, rep), result) for result in ("done", "open"))
    assert (FIRST, rep) in due_in(LESSONS, History((begun,)), DAY).reps
    assert (FIRST, rep) not in due_in(LESSONS, History((begun, done)), DAY).reps
    assert (FIRST, rep) in due_in(LESSONS, History((begun, done, undone)), DAY).reps


def test_a_lesson_that_was_not_begun_has_nothing_due() -> None:
    due = due_in(LESSONS, History(), DAY)
    assert (due.questions, due.reps, due.later) == ((), (), ())

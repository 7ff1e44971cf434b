"""What is to be asked again, and done, on a day: functions of what happened before and of that day.

The gaps are fixed. Spacing is what helps; whether gaps grow or how they are fitted matters far less, if at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from grader.course.lesson import Lesson, Question, Rep
from grader.study.history import Event, History

# Days until a question comes back after its first right answer in a row, its second, and so on. A wrong one: the next.
GAPS = (1, 3, 7, 21, 60)
# Days from the beginning of a lesson until a rep is to be done. Any other day that an author names counts as a week.
REP_DAYS = {"now": 0, "today": 0, "tomorrow": 1}
LATER = 7


@dataclass(frozen=True, slots=True)
class Due:
    """What is due in the lessons on a day, the longest overdue first, and what will be after it."""

    questions: tuple[tuple[Lesson, Question], ...]
    reps: tuple[tuple[Lesson, Rep], ...]
    later: tuple[date, ...]

    def __str__(self) -> str:
        """How much is due: ``2 questions and 1 rep``."""
        counts = (("question", len(self.questions)), ("rep", len(self.reps)))
        return " and ".join(f"{count} {noun}{'s' * (count > 1)}" for noun, count in counts if count)


def place(lesson: Lesson, part: Question | Rep) -> str:
    """The name of a question or rep in a history."""
    return f"{lesson.id}#{part.id}"


def next_day(answers: Iterable[Event]) -> date | None:
    """The day on which a question comes back, by its answers so far; None if it was never answered.

    An answer that comes before its day counts if it is wrong. If it is right it says nothing about remembering.

    >>> next_day(Event(date(2026, 11, day), "answered", "a#b", "right") for day in (1, 2, 2))
    datetime.date(2026, 11, 5)
    """
    due, in_a_row = None, 0
    for answer in answers:
        if answer.result != "right":
            due, in_a_row = answer.day + timedelta(1), 0
        elif due is None or answer.day >= due:
            due, in_a_row = answer.day + timedelta(GAPS[min(in_a_row, len(GAPS) - 1)]), in_a_row + 1
    return due


def due_questions(history: History, today: date) -> list[str]:
    """The names of the questions that are due, whether or not the course still asks them."""
    items = dict.fromkeys(event.item for event in history.events if event.kind == "answered")
    days = {item: next_day(history.of("answered", item)) or today for item in items}
    return sorted((item for item in items if days[item] <= today), key=lambda item: days[item])


def due_in(lessons: Iterable[Lesson], history: History, today: date) -> Due:
    """What is due of the questions and reps of ``lessons``."""
    lessons = tuple(lessons)
    questions = [(day, lesson, each) for lesson in lessons for day, each in _questions(lesson, history)]
    reps = [(day, lesson, each) for lesson in lessons for day, each in _reps(lesson, history)]
    return Due(
        questions=tuple((lesson, each) for day, lesson, each in sorted(questions, key=_day) if day <= today),
        reps=tuple((lesson, each) for day, lesson, each in sorted(reps, key=_day) if day <= today),
        later=tuple(sorted(day for day, *_ in (*questions, *reps) if day > today)),
    )


def _day(found: tuple[date, Lesson, object]) -> date:
    return found[0]


def _questions(lesson: Lesson, history: History) -> Iterator[tuple[date, Question]]:
    for question in lesson.questions:
        day = next_day(history.of("answered", place(lesson, question)))
        if day is not None:
            yield day, question


def _reps(lesson: Lesson, history: History) -> Iterator[tuple[date, Rep]]:
    begun = history.begun(lesson.id)
    if begun is None:
        return
    for rep in lesson.reps:
        if rep.id is not None and not history.is_done(place(lesson, rep)):
            yield begun + timedelta(REP_DAYS.get((rep.day or "now").lower(), LATER)), rep

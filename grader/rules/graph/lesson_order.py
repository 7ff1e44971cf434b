"""The rule ``lesson-order``."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.lesson import Lesson
from grader.course.library import Library
from grader.results import Finding
from grader.rules._places import value_span
from grader.rules.base import CourseRule


class LessonOrder(CourseRule):
    """No two lessons have the same number."""

    id = "lesson-order"
    title = "Each lesson has a number of its own"
    why = "Two lessons of one number leave open which comes first, and a link to Lesson 3 may mean either."
    file = "lessons/lesson3.md"
    good = "order: 3\n"
    bad = "order: 2\n"
    fix = "Give one of the two another `order`; numbers may be left out."

    def check(self, subject: Library, library: Library) -> Iterator[Finding]:
        first: dict[int, Lesson] = {}
        for lesson in subject.lessons.values():
            if lesson.order is None:
                continue
            other = first.setdefault(lesson.order, lesson)
            if other is not lesson:
                message = f"{lesson.order} is also the order of {other.page.path}"
                yield self.finding(lesson.page.path, value_span(lesson.page, "order"), message, self.fix)

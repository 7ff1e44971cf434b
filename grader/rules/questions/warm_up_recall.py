"""The rule ``warm-up-recall``."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.lesson import Lesson
from grader.course.library import Library
from grader.results import Finding
from grader.rules.base import LessonRule


class WarmUpRecall(LessonRule):
    """The answer to a warm-up links the earlier lesson that it recalls. A lesson without prerequisites recalls none."""

    id = "warm-up-recall"
    title = "A warm-up names the lesson that it recalls"
    why = "Who has forgotten the answer should find at once where to read it again."
    file = "lessons/lesson3.md"
    good = "a remainder of 1 when divided by 7.\n\n    Recalls [Lesson 2](lesson2.md#know-this).\n"
    bad = "a remainder of 1 when divided by 7.\n"
    fix = "End the answer with a line such as: Recalls [Lesson 9](lesson09.md#know-this)."

    def check(self, subject: Lesson, library: Library) -> Iterator[Finding]:
        if not subject.prerequisites:
            return
        path = subject.page.path
        for question in subject.warm_up:
            if question.answer is None:
                continue
            span = question.answer.span
            if not question.answer.recalls:
                message = f"warm-up {question.number} does not link the lesson that it recalls"
                yield self.finding(path, span, message, self.fix)
            for id in question.answer.recalls:
                order = library.lessons[id].order if id in library.lessons else None
                later = order is not None and subject.order is not None and order > subject.order
                if later or id == subject.id:
                    message = f"warm-up {question.number} recalls {id}, which is not earlier than this lesson"
                    yield self.finding(path, span, message, "Recall a lesson that has been read by now.")

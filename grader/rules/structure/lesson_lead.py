"""The rule ``lesson-lead``."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.lesson import Lesson
from grader.course.library import Library
from grader.course.page import Span
from grader.results import Finding
from grader.rules.base import LessonRule


class LessonLead(LessonRule):
    """A lesson begins with a lead, then says what a learner can do after it."""

    id = "lesson-lead"
    title = "A lesson says what it is about, and what one can do after it"
    why = "From these lines a reader decides whether to go on, and judges at the end whether the lesson worked."
    file = "lessons/lesson3.md"
    good = "After this lesson you can:\n"
    bad = "In this lesson:\n"
    fix = 'Write a paragraph or two under the head list, then "After this lesson you can:" and a list.'

    def check(self, subject: Lesson, library: Library) -> Iterator[Finding]:
        path, heading = subject.page.path, subject.page.headings[:1]
        span: Span | None = heading[0].span if heading else None
        if not subject.lead:
            message = "no text between the head list and what one can do after the lesson"
            yield self.finding(path, span, message, "Write in a paragraph what the lesson is about.")
        if not subject.objectives:
            message = 'no line "After this lesson you can:" with a list under it, before the first section'
            yield self.finding(
                path, span, message, "Write that line, and under it one to five points that begin with verbs."
            )

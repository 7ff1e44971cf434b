"""The rule ``term-lesson``."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.lesson import Term
from grader.course.library import Library
from grader.results import Finding
from grader.rules._near import did_you_mean
from grader.rules._places import value_span
from grader.rules.base import TermRule


class TermLesson(TermRule):
    """A term names the lesson that teaches it."""

    id = "term-lesson"
    title = "The lesson that teaches a term is there"
    why = "Who looks a term up may want to read more about it, where it is taught."
    file = "glossary/leap-day.md"
    good = "lesson: lesson1\n"
    bad = "lesson: leson1\n"
    fix = "Name the lesson by its file, without .md, or leave `lesson` out."

    def check(self, subject: Term, library: Library) -> Iterator[Finding]:
        if subject.lesson is not None and subject.lesson not in library.lessons:
            message = f"there is no lesson `{subject.lesson}`{did_you_mean(subject.lesson, library.lessons)}"
            yield self.finding(subject.page.path, value_span(subject.page, "lesson"), message, self.fix)

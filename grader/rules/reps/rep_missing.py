"""The rule ``rep-missing``."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.lesson import REPS, Lesson
from grader.course.library import Library
from grader.results import Finding
from grader.rules.base import LessonRule


class RepMissing(LessonRule):
    """A lesson has at least one rep, and one of them is for tomorrow."""

    id = "rep-missing"
    title = "There is something to do, and some of it tomorrow"
    why = "What is taken up again after a night stays longer than what is done twice in an hour."
    file = "lessons/lesson1.md"
    good = "**Tomorrow, 10 min.** Find"
    bad = "**Now, 10 min.** Find"
    fix = 'Write: - [ ] <a id="short-name"></a>**Tomorrow, 15 min.** What to do. Done when one can see that it is done.'

    def check(self, subject: Lesson, library: Library) -> Iterator[Finding]:
        section = next((section for section in subject.sections if section.title == REPS), None)
        if section is None:
            return
        if not subject.reps:
            yield self.finding(subject.page.path, section.span, "there are no reps: a list of things to do", self.fix)
        elif all((rep.day or "").lower() != "tomorrow" for rep in subject.reps):
            yield self.finding(subject.page.path, section.span, "no rep is for tomorrow", self.fix)

"""The rule ``rep-form``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.course.lesson import Lesson, Rep
from grader.course.library import Library
from grader.results import Finding
from grader.rules.base import LessonRule

_BOX = re.compile(r"\s*[-*+] \[[ xX]\] ")


class RepForm(LessonRule):
    """A rep is a box to tick, with a day, a time, and what one has when it is done."""

    id = "rep-form"
    title = "A rep says when, how long, and when it is done"
    why = "A plan with a time and an end gets done; advice does not."
    file = "lessons/lesson1.md"
    good = "Done when you\n  can say which part of the rule decided it."
    bad = "Say which\n  part of the rule decided it."
    fix = 'Write: - [ ] <a id="short-name"></a>**Now, 10 min.** What to do. Done when one can see that it is done.'

    def check(self, subject: Lesson, library: Library) -> Iterator[Finding]:
        for rep in subject.reps:
            missing = list(_missing(subject, rep))
            if missing:
                message = f"the rep lacks {'; '.join(missing)}"
                yield self.finding(subject.page.path, rep.span, message, self.fix)


def _missing(lesson: Lesson, rep: Rep) -> Iterator[str]:
    if not _BOX.match(lesson.page.text.line(rep.span.line)):
        yield "a box, `- [ ]`"
    if rep.day is None:
        yield "a day in bold, such as **Now** or **Tomorrow**"
    if rep.minutes is None:
        yield "a time, such as `10 min`"
    if rep.done_when is None:
        yield 'a sentence that begins with "Done when"'

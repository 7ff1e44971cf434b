"""The rule ``question-id``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.course.lesson import Lesson, Question, Rep
from grader.course.library import Library
from grader.results import Finding
from grader.rules.base import LessonRule

_FORM = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_COUNTED = re.compile(r"(?:q|question|warm-?up|practice|rep|exercise)?-?\d+")


class QuestionId(LessonRule):
    """Each question and each rep begins with ``<a id="short-name"></a>``, and keeps that name for ever."""

    id = "question-id"
    title = "Each question and each rep has a name of its own"
    why = "Reports and a learner's progress name questions. A name that counts would mean another one after a change."
    file = "lessons/lesson1.md"
    good = '<a id="mean-year"></a>'
    bad = '<a id="q3"></a>'
    fix = 'Begin it with <a id="short-name"></a>: lower-case words that say what is asked, with hyphens between.'

    def check(self, subject: Lesson, library: Library) -> Iterator[Finding]:
        path, first = subject.page.path, {heading.anchor: heading.span.line for heading in subject.page.headings}
        parts: tuple[Question | Rep, ...] = (*subject.questions, *subject.reps)
        for part in parts:
            what, id = _name(part), part.id
            if not id:
                yield self.finding(path, part.span, f"{what} has no id", self.fix)
            elif id in first:
                message = f"the id `{id}` of {what} is given twice, first in line {first[id]}"
                yield self.finding(path, part.span, message, "Give it an id of its own.")
            elif _COUNTED.fullmatch(id):
                message = f"the id `{id}` of {what} counts, so it will be wrong when another comes before it"
                yield self.finding(path, part.span, message, self.fix)
            elif not _FORM.fullmatch(id):
                message = f"the id `{id}` of {what} must be lower-case words with hyphens between"
                yield self.finding(path, part.span, message, self.fix)
            if id:
                first.setdefault(id, part.span.line)


def _name(part: Question | Rep) -> str:
    return "the rep" if isinstance(part, Rep) else f"question {part.number} of {part.section}"

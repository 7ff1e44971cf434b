"""The rule ``all-of-the-above``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.course.lesson import Lesson
from grader.course.library import Library
from grader.results import Finding
from grader.rules.base import LessonRule

_ABOUT_OTHERS = re.compile(
    r".*\bof the (?:above|other (?:choices|answers))\b.*"
    r"|(?:all|both|none|neither|each|any) of (?:these|them)\W*"
    r"|(?:both |neither )?\(?[a-d]\)?,? (?:and|or|nor) \(?[a-d]\)?\W*",
    re.IGNORECASE | re.DOTALL,
)


class AllOfTheAbove(LessonRule):
    """No choice is about the other choices."""

    id = "all-of-the-above"
    title = "No choice says all, both or none of the above"
    why = "Who is sure of two choices knows the answer without the third, and who shuffles choices makes it wrong."
    file = "lessons/lesson1.md"
    good = "    - d) It is a century that 400 does not divide.\n"
    bad = "    - d) All of the above.\n"
    fix = "Say something of its own in each choice, or ask a question in which several are right."

    def check(self, subject: Lesson, library: Library) -> Iterator[Finding]:
        for question in subject.questions:
            for choice in question.choices:
                if _ABOUT_OTHERS.fullmatch(choice.text):
                    message = f'question {question.number}: "{choice.text}" is about the other choices'
                    yield self.finding(subject.page.path, choice.span, message, self.fix)

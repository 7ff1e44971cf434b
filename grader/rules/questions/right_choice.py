"""The rule ``right-choice``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.course.lesson import Lesson, Question
from grader.course.library import Library
from grader.results import Finding
from grader.rules.base import LessonRule

_LETTER = re.compile(r"\b[a-z]\b")
_STATED = "Choose all that apply"


class RightChoice(LessonRule):
    """One choice is right, and the answer and the reasons agree which; several only where the question says so."""

    id = "right-choice"
    title = "The answer and the reasons agree on the one right choice"
    why = "A learner who chose well and is told `No` learns to doubt what was right."
    file = "lessons/lesson1.md"
    good = "**Answer: d**"
    bad = "**Answer: c**"
    fix = f'Let the answer name the choices with "Yes"; if there are several, write "{_STATED}." in the question.'

    def check(self, subject: Lesson, library: Library) -> Iterator[Finding]:
        for question in subject.questions:
            if question.answer is not None and question.answer.kind == "choice":
                message = _wrong(question, question.answer.given)
                if message is not None:
                    span = question.answer.span
                    yield self.finding(subject.page.path, span, f"question {question.number}: {message}", self.fix)


def _wrong(question: Question, given: str) -> str | None:
    named = set(_LETTER.findall(given))
    unknown = named - {choice.letter for choice in question.choices}
    if unknown:
        return f"the answer names {_listed(unknown)}, which is no choice"
    right = {choice.letter for choice in question.choices if choice.right}
    wrong = {choice.letter for choice in question.choices if choice.right is False}
    if named & wrong or right - named:
        return f'the answer is {_listed(named)}, and "Yes" stands at {_listed(right) or "none"}'
    if len(named) > 1 and _STATED.lower() not in question.text.lower():
        return f"{len(named)} choices are right, and the question does not say that there may be several"
    return None


def _listed(letters: set[str]) -> str:
    return " and ".join(sorted(letters))

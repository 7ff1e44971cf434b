"""The rule ``question-choices``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import ascii_lowercase

from grader.course.lesson import Lesson
from grader.course.library import Library
from grader.results import Finding
from grader.rules.base import LessonRule

LEAST, MOST = 3, 4
_OTHER_LETTER = re.compile(r"\(?[A-Za-z0-9][).:]\s+")


class QuestionChoices(LessonRule):
    """A question with choices has three or four, named a) to d)."""

    id = "question-choices"
    title = "There are three or four choices, in the order of their letters"
    why = "Two are a coin, and each wrong choice beyond three is one more wrong thing that is read and may be kept."
    file = "lessons/lesson1.md"
    good = "    - a) 365\n    - b) 366\n    - c) 360\n    - d) 364\n"
    bad = "    - a) 365\n    - b) 366\n"
    fix = "Keep the wrong choices that learners do take, and write all as - a) …, - b) … and so on."

    def check(self, subject: Lesson, library: Library) -> Iterator[Finding]:
        path = subject.page.path
        for question in subject.questions:
            choices = question.choices
            for letter, choice in zip(ascii_lowercase, choices, strict=False):
                if choice.letter != letter:
                    written = f"{choice.letter})" if choice.letter else "no letter"
                    message = f"question {question.number}: here choice {letter}) is expected, and there is {written}"
                    text = _OTHER_LETTER.sub("", choice.text)
                    yield self.finding(path, choice.span, message, f"Write: - {letter}) {text}")
                    break
            if choices and not LEAST <= len(choices) <= MOST:
                message = f"question {question.number} has {len(choices)} choices; there should be {LEAST} or {MOST}"
                yield self.finding(path, choices[min(MOST, len(choices) - 1)].span, message, self.fix)

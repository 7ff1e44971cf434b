"""The rule ``choice-reason``."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.lesson import Lesson
from grader.course.library import Library
from grader.results import Finding
from grader.rules.base import LessonRule


class ChoiceReason(LessonRule):
    """The answer says of each choice Yes or No, and why."""

    id = "choice-reason"
    title = "Each choice has a reason"
    why = "A wrong choice teaches what it says, unless the answer says why it is wrong."
    file = "lessons/lesson1.md"
    good = "    - b) No. That is a leap year.\n"
    bad = "    - b) No.\n"
    fix = "Write in the answer, for each choice: - a) Yes. Why. or - a) No. Why."

    def check(self, subject: Lesson, library: Library) -> Iterator[Finding]:
        for question in subject.questions:
            if question.answer is None or question.answer.kind != "choice":
                continue
            for choice in filter(lambda choice: choice.letter, question.choices):
                if choice.reason is None and choice.right is None:
                    what = "the answer does not say why it is right or wrong"
                elif choice.right is None:
                    what = "its reason begins with neither Yes nor No"
                elif choice.reason is None:
                    what = f"the answer says {'Yes' if choice.right else 'No'}, and not why"
                else:
                    continue
                message = f"question {question.number}, choice {choice.letter}: {what}"
                yield self.finding(subject.page.path, choice.span, message, self.fix)

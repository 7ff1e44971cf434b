"""The rule ``answer-length``."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

from grader.course.course import FILE
from grader.course.lesson import Question
from grader.course.library import Library
from grader.results import Finding
from grader.rules.base import CourseRule
from grader.rules.questions._choices import ENOUGH, single

# Standard deviations above the mean that chance leads to one time in a hundred.
_RARE = 2.326


class AnswerLength(CourseRule):
    """Over the whole course the right choice is not the longest one more often than chance makes it."""

    id = "answer-length"
    severity = "warning"
    title = "The right choice is not the longest too often"
    why = "An author takes more words for what is true, and learners know it."
    file = "lessons/lesson3.md"
    good = "    - a) Thursday\n"
    bad = "    - a) Thursday, in the middle\n"
    fix = "Shorten right choices, or give wrong ones the same detail."

    def check(self, subject: Library, library: Library) -> Iterator[Finding]:
        asked = list(single(subject))
        if len(asked) < ENOUGH:
            return
        longest = sum(_is_longest(question, place) for question, place in asked)
        chances = [1 / len(question.choices) for question, _ in asked]
        rare = sum(chances) + _RARE * sqrt(sum(chance * (1 - chance) for chance in chances))
        if longest > rare:
            message = (
                f"in {longest} of {len(asked)} questions the right choice is the longest; "
                f"by chance it would be in about {sum(chances):.0f}"
            )
            yield self.finding(FILE, None, message, self.fix)


def _is_longest(question: Question, place: int) -> bool:
    lengths = [len(choice.text) for choice in question.choices]
    return lengths[place] > max(length for index, length in enumerate(lengths) if index != place)

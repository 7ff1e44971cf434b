"""The questions of a course that have one right choice, and what chance would make of them."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.lesson import Question
from grader.course.library import Library
from grader.rules.questions.question_choices import LEAST, MOST

# With fewer questions chance alone explains nearly everything.
ENOUGH = 20


def single(library: Library) -> Iterator[tuple[Question, int]]:
    """Each question with three or four choices and one right, and which choice that is, from 0."""
    for lesson in library.lessons.values():
        for question in lesson.questions:
            right = [index for index, choice in enumerate(question.choices) if choice.right]
            if LEAST <= len(question.choices) <= MOST and len(right) == 1:
                yield question, right[0]

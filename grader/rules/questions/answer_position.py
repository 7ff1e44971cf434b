"""The rule ``answer-position``."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.course import FILE
from grader.course.library import Library
from grader.results import Finding
from grader.rules.base import CourseRule
from grader.rules.questions._choices import ENOUGH, single
from grader.rules.questions.question_choices import MOST

# Chi-square beyond which chance would lead one time in a hundred, for three and for four places.
_RARE = {3: 9.210, 4: 11.345}


class AnswerPosition(CourseRule):
    """Over the whole course the right choices are spread over the places a to d."""

    id = "answer-position"
    severity = "warning"
    title = "The right choice does not stand at one place too often"
    why = "Learners find out, perhaps without noticing, and choose by the place."
    file = "lessons/lesson2.md"
    good = "**Answer: b**\n\n    - a) No. It moves on by one or two.\n    - b) Yes."
    bad = "**Answer: a**\n\n    - a) Yes. It moves on by one or two.\n    - b) No."
    fix = "Put right choices to other places. Orders that mean something, such as that of numbers, may stay."

    def check(self, subject: Library, library: Library) -> Iterator[Finding]:
        asked = [(len(question.choices), place) for question, place in single(subject)]
        places = max((count for count, _ in asked), default=0)
        if len(asked) < ENOUGH:
            return
        seen = [sum(place == each for _, place in asked) for each in range(places)]
        expected = [sum(1 / count for count, _ in asked if each < count) for each in range(places)]
        chi_square = sum((one - other) ** 2 / other for one, other in zip(seen, expected, strict=True))
        if chi_square > _RARE[places]:
            shares = ", ".join(f"{letter} {number}" for letter, number in zip("abcd"[:MOST], seen, strict=False))
            message = f"{len(asked)} right choices stand at {shares}; by chance they would be more even 99 times in 100"
            yield self.finding(FILE, None, message, self.fix)

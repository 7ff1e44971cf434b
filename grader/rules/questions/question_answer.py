"""The rule ``question-answer``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.course.lesson import Lesson, Question
from grader.course.library import Library
from grader.results import Finding
from grader.rules.base import LessonRule

_CHOSEN = re.compile(r"[a-z]")
# Without a blank line under it, what stands in the block is HTML to Markdown.
_AS_HTML = re.compile(r"<details[^>]*>\s*(?:<summary>.*?</summary>)?[ \t]*(?:\n[ \t]*)?[^\s<]", re.DOTALL)


class QuestionAnswer(LessonRule):
    """Below each question stands ``<details>``, and in it ``**Answer: …**`` or ``**Model answer.** …``."""

    id = "question-answer"
    title = "Each question has its answer"
    why = "A question without an answer teaches little, and the one who got it wrong nothing."
    file = "lessons/lesson1.md"
    good = "    **Answer: 146,097 days** (exact)\n"
    bad = "    146,097 days\n"
    fix = "Begin the answer with **Answer: c**, **Answer: 1.875 GB** (± 1 %) or **Model answer.** and a text."

    def check(self, subject: Lesson, library: Library) -> Iterator[Finding]:
        for question in subject.questions:
            wrong = self._wrong(subject, question)
            if wrong is not None:
                message, fix = wrong
                yield self.finding(subject.page.path, question.span, f"question {question.number}: {message}", fix)

    def _wrong(self, lesson: Lesson, question: Question) -> tuple[str, str] | None:
        """What is wrong, and what to do about it."""
        answer = question.answer
        written = "\n".join(map(lesson.page.text.line, range(question.span.line, question.span.end_line + 1)))
        if "<details" in written and "</details" not in written:
            return "the block <details> is not closed", "Write </details> below the answer, after a blank line."
        if answer is None:
            if "<details" not in written:
                return "no answer: a block <details> is missing", f"Write it below the question. {self.fix}"
            if _AS_HTML.search(written):
                return "the answer is not read as Markdown", "Leave blank lines after </summary> and before </details>."
            return "the answer does not say which kind it is", self.fix
        if question.choices and answer.kind != "choice":
            return "the answer names no choice", "Begin the answer with the letter: **Answer: c**."
        if not question.choices and _CHOSEN.fullmatch(answer.given):
            message = f"the answer names choice {answer.given}, and no choices were found"
            return message, "Write the choices as a list above <details>: - a) …"
        return None

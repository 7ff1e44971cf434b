"""The rule ``plain-marks``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.course.lesson import Lesson
from grader.course.library import Library
from grader.results import Finding
from grader.rules.base import LessonRule

_MARKS = re.compile(
    r"^[ \t>]*(?:- )?(?P<mark>[\u2022\u25e6\u25aa\u25ab\u2023]|[\u2610\u25a2\u25a1\u2611\u2612])\s+", re.MULTILINE
)
_BULLETS = "\u2022\u25e6\u25aa\u25ab\u2023"


class PlainMarks(LessonRule):
    """Bullets and boxes are written as Markdown's ``-`` and ``- [ ]``."""

    id = "plain-marks"
    title = "Lists are lists, not signs that look like bullets or boxes"
    why = "Lines that begin with • or ▢ run together into one paragraph, and no choice or rep is found among them."
    file = "lessons/lesson1.md"
    good = "- [Resources](resources.md)\n"
    bad = "• [Resources](resources.md)\n"
    fix = "Begin a point with `- ` and a box with `- [ ] `."

    def check(self, subject: Lesson, library: Library) -> Iterator[Finding]:
        text = subject.page.text
        code = None
        for match in _MARKS.finditer(text.content):
            code = _code_lines(subject) if code is None else code
            start, end = match.span("mark")
            span = text.span(start, end)
            if span.line in code:
                continue
            kind, written = ("bullet", "-") if match["mark"] in _BULLETS else ("box", "- [ ]")
            rest = text.line(span.line)[span.end_column - 1 :].strip()
            message = f"{match['mark']} is no {kind} in Markdown: the line runs into the one before"
            yield self.finding(subject.page.path, span, message, f"Write: {written} {rest}")


def _code_lines(lesson: Lesson) -> set[int]:
    """The lines of code blocks, from 1."""
    blocks = [token.map for token in lesson.page.tokens if token.type in ("fence", "code_block") and token.map]
    return {number + 1 for start, end in blocks for number in range(start, end)}

"""The rule ``heading-levels``."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.lesson import Lesson
from grader.course.library import Library
from grader.results import Finding
from grader.rules.base import LessonRule


class HeadingLevels(LessonRule):
    """A lesson has one heading of level 1, and a heading is at most one level below the one before."""

    id = "heading-levels"
    title = "Headings go down one level at a time"
    why = "A screen reader reads the outline of a page from its levels; a gap in them looks like a part left out."
    file = "lessons/lesson1.md"
    good = "### What it comes to\n"
    bad = "#### What it comes to\n\n##### In days\n\n# In years\n"
    fix = "Use level 1 for the lesson, 2 for its sections and 3 for parts of a section."

    def check(self, subject: Lesson, library: Library) -> Iterator[Finding]:
        path, level, first = subject.page.path, 1, None
        for heading in subject.page.headings:
            if heading.level == 1 and first is not None:
                message = f"a second heading of level 1; the first is in line {first}"
                yield self.finding(path, heading.span, message, "Use level 3 inside a section.")
            elif heading.level > level + 1:
                message = f"a heading of level {heading.level} under one of level {level}"
                yield self.finding(path, heading.span, message, f"Use level {level + 1}.")
            if heading.level == 1 and first is None:
                first = heading.span.line
            level = heading.level

"""The rule ``lesson-title``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.course.lesson import Lesson
from grader.course.library import Library
from grader.course.page import Heading, Span
from grader.results import Edit, Finding
from grader.rules._places import value_span
from grader.rules.base import LessonRule
from grader.rules.frontmatter._lines import entries
from grader.rules.structure._head import heading

_NUMBERED = re.compile(r"(?:Lesson\s+)?\d+[.:]\s+(.+)", re.IGNORECASE)


class LessonTitle(LessonRule):
    """The first heading of a lesson is ``# Lesson N. Title``, with the number and title of its frontmatter."""

    id = "lesson-title"
    title = "The heading of a lesson says its number and its title"
    why = "Number and title stand in the frontmatter. A heading that says something else makes readers doubt both."
    file = "lessons/lesson1.md"
    good = "# Lesson 1. Leap Years\n"
    bad = "# Lesson 2. Leap Years\n"
    fix = "Change `order` and `title` in the frontmatter, and let `course check --fix` write the heading."

    def check(self, subject: Lesson, library: Library) -> Iterator[Finding]:
        path, expected = subject.page.path, heading(subject)
        numbered = _NUMBERED.fullmatch(subject.title)
        if numbered is not None:
            message = f'the title begins with a number, which stands in `order`: "{subject.title}"'
            yield self.finding(path, value_span(subject.page, "title"), message, f'Write: title: "{numbered[1]}"')
            return
        if expected is None:
            return
        first = next((heading for heading in subject.page.headings if heading.level == 1), None)
        if first is None:
            number = _after_frontmatter(subject)
            edits = (Edit(number, 1, number, 1, f"{expected}\n\n"),)
            yield self.finding(path, Span(number, 1, number, 1), f"the heading is missing: {expected}", expected, edits)
        elif first.text != expected[2:] and _written(subject, first) != expected:
            span = first.span
            edits = (Edit(span.line, span.column, span.end_line, span.end_column, expected),)
            message = f'the heading must be "{expected}", as the frontmatter says; it is "{first.text}"'
            if any(entry.key == "title" and not entry.lead and entry.is_cut for entry in entries(subject.page)):
                # What was cut off in the frontmatter may stand here alone.
                yield self.finding(path, span, message, "First put the title in quotes, if what follows # is of it.")
            else:
                yield self.finding(path, span, message, f"Write: {expected}", edits)


def _written(lesson: Lesson, first: Heading) -> str:
    text, span = lesson.page.text, first.span
    return text.content[text.offset(span.line, span.column) : text.offset(span.end_line, span.end_column)].strip()


def _after_frontmatter(lesson: Lesson) -> int:
    """The first line after the frontmatter that is not blank; the one after it, if all are."""
    frontmatter, text = lesson.page.frontmatter, lesson.page.text
    first = 1 if frontmatter is None else frontmatter.span.end_line + 1
    last = len(text.starts)
    return next((number for number in range(first, last + 1) if text.line(number).strip()), min(first, last))

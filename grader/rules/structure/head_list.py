"""The rule ``head-list``."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.lesson import Lesson
from grader.course.library import Library
from grader.course.page import Span
from grader.results import Edit, Finding
from grader.rules.base import LessonRule
from grader.rules.structure._head import head_list


class HeadList(LessonRule):
    """Under the heading stand mission, primary source, prerequisites and exercise, written from the data."""

    id = "head-list"
    title = "The list under the heading says what the data say"
    why = "What a lesson serves and needs stands in its frontmatter. The list shows it to readers, and adds nothing."
    file = "lessons/lesson2.md"
    good = "- **Prerequisites:** [Lesson 1](lesson1.md)\n"
    bad = "- **Prerequisites:** none\n"
    fix = "Change the frontmatter, and let `course check --fix` write the list."

    def check(self, subject: Lesson, library: Library) -> Iterator[Finding]:
        expected = head_list(subject, library)
        if expected is None:
            return
        path, text, span = subject.page.path, subject.page.text, subject.head
        if span is None:
            heading = next((heading.span for heading in subject.page.headings if heading.level == 1), None)
            if heading is not None:
                end = (heading.end_line, heading.end_column)
                message = "under the heading a list of mission, primary source and prerequisites is missing"
                yield self.finding(
                    path, heading, message, f"Write:\n{expected}", (Edit(*end, *end, f"\n\n{expected}"),)
                )
            return
        written = text.content[text.offset(span.line) : text.offset(span.end_line, span.end_column)]
        # The list may be broken into lines of any length.
        if written.split() != expected.split():
            where, message = _first_difference(subject, span, expected)
            edits = (Edit(span.line, span.column, span.end_line, span.end_column, expected),)
            yield self.finding(path, where, message, f"Write:\n{expected}", edits)


def _first_difference(lesson: Lesson, span: Span, expected: str) -> tuple[Span, str]:
    """The first item of the list that is not as it should be, and what it should be."""
    items: list[tuple[int, str]] = []
    for number in range(span.line, span.end_line + 1):
        line = lesson.page.text.line(number)
        if line.startswith(("- ", "* ")) or not items:
            items.append((number, line))
        else:
            items[-1] = (items[-1][0], f"{items[-1][1]} {line}")
    wanted = expected.split("\n")
    for (number, item), want in zip(items, wanted, strict=False):
        if item.split() != want.split():
            return _line_span(lesson, number), f"the data say: {want}"
    if len(items) < len(wanted):
        return span, f"the data also say: {wanted[len(items)]}"
    return _line_span(lesson, items[len(wanted)][0]), "the data do not say this"


def _line_span(lesson: Lesson, number: int) -> Span:
    return Span(number, 1, number, len(lesson.page.text.line(number)) + 1)

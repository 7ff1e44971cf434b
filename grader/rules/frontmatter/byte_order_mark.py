"""The rule ``byte-order-mark``."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.library import Library
from grader.course.page import Page, Span
from grader.results import Finding
from grader.rules.base import PageRule


class ByteOrderMark(PageRule):
    """A page begins with its first character, not with a mark of its encoding."""

    id = "byte-order-mark"
    severity = "warning"
    title = "A page has no byte-order mark"
    why = "It is read here as if it were not there. Other tools see it before the first ---, and then no frontmatter."
    file = "lessons/lesson1.md"
    good = "---\ntitle: Leap Years\n"
    bad = "\ufeff---\ntitle: Leap Years\n"
    fix = "Save the file as UTF-8 without a byte-order mark."

    def check(self, subject: Page, library: Library) -> Iterator[Finding]:
        if subject.text.bom:
            message = "the file begins with a byte-order mark (U+FEFF), behind which other tools miss the frontmatter"
            yield self.finding(subject.path, Span(1, 1, 1, 1), message, self.fix)

"""The rule ``ignore-reason``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from grader.course.library import Library
from grader.course.page import Page
from grader.results import Finding, Severity
from grader.rules.base import PageRule
from grader.rules.ignores.comments import ignores


class IgnoreReason(PageRule):
    """A comment that ignores a rule says why."""

    id = "ignore-reason"
    severity: ClassVar[Severity] = "warning"
    title = "What is ignored has a reason"
    why = "Who reads the comment in a year has to know whether it is still needed."
    file = "lessons/lesson1.md"
    good = "\n\nAnswer before you look."
    bad = "\n\n<!-- check: ignore ignore-unused -->\n\nAnswer before you look."
    fix = "Write `because` and a reason behind the name of the rule."

    def check(self, subject: Page, library: Library) -> Iterator[Finding]:
        for ignore in ignores(subject):
            if ignore.rules and ignore.reason is None:
                message = f"{', '.join(ignore.rules)} is ignored without a reason"
                advice = f"write `<!-- check: ignore {', '.join(ignore.rules)} because … -->`"
                yield self.finding(subject.path, ignore.span, message, advice)

"""The rule ``ignore-unused``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from grader.course.library import Library
from grader.results import Finding, Severity
from grader.rules.ignores.comments import Checked, IgnoreRule, ignores


class IgnoreUnused(IgnoreRule):
    """A comment that ignores a rule stands where that rule finds something. A rule that did not run is not judged."""

    id = "ignore-unused"
    severity: ClassVar[Severity] = "warning"
    title = "What is ignored is there"
    why = "A comment that outlives what it excused would hide the next mistake in its place."
    file = "lessons/lesson1.md"
    good = "\n\nAnswer before you look."
    bad = "\n\n<!-- check: ignore ignore-unknown because it is quoted -->\n\nAnswer before you look."
    fix = "Take the comment out, or the name of the rule that finds nothing."

    def check(self, subject: Checked, library: Library) -> Iterator[Finding]:
        for ignore in ignores(subject.page):
            for rule in ignore.rules:
                covered = any(each.rule == rule and ignore.covers(each) for each in subject.findings)
                if rule in subject.ran and not covered:
                    message = f"{rule} finds nothing here to ignore"
                    yield self.finding(subject.page.path, ignore.span, message, "take it out")

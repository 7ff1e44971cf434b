"""The rule ``ignore-unknown``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from grader.course.library import Library
from grader.course.page import Page
from grader.results import Finding, Severity
from grader.rules._names import advice
from grader.rules.base import PageRule
from grader.rules.ignores.comments import ignores


class IgnoreUnknown(PageRule):
    """A comment that begins with ``check:`` is written as one that ignores, and each of its rules exists."""

    id = "ignore-unknown"
    severity: ClassVar[Severity] = "warning"
    title = "What is ignored is a rule"
    why = "A comment with a misspelt name ignores nothing."
    file = "lessons/lesson1.md"
    good = "\n\nAnswer before you look."
    bad = "\n\n<!-- check: ignore ignore-raeson because it is quoted -->\n\nAnswer before you look."
    fix = "Write the name of a rule as `course rules` lists it."

    def check(self, subject: Page, library: Library) -> Iterator[Finding]:
        from grader.rules import rules

        for ignore in ignores(subject):
            if not ignore.rules:
                message = "a comment that begins with `check:` and does not say what to ignore"
                form = "write `<!-- check: ignore RULE because … -->`"
                yield self.finding(subject.path, ignore.span, message, form)
            for name in ignore.rules:
                if name not in rules():
                    message = f"no rule is called `{name}`"
                    yield self.finding(subject.path, ignore.span, message, advice(name))

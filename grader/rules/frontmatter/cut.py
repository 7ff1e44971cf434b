"""The rule ``frontmatter-cut``."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.library import Library
from grader.course.page import Page
from grader.results import Finding
from grader.rules.base import PageRule
from grader.rules.frontmatter._lines import entries, kind, quoted

_TEXTS = {"title", "description", "kind", "by"}


class FrontmatterCut(PageRule):
    """In YAML a number sign after a blank begins a comment."""

    id = "frontmatter-cut"
    severity = "warning"
    title = "No text is cut off at a number sign"
    why = "YAML takes ` #` for the beginning of a comment: the text ends before it, and nothing says so."
    file = "lessons/lesson3.md"
    good = "title: ISO 8601\n"
    bad = "title: ISO 8601 #weeks\n"
    fix = "Put the text in quotes; a comment goes in a line of its own."

    def check(self, subject: Page, library: Library) -> Iterator[Finding]:
        if kind(subject, library) is None or subject.frontmatter is None:
            return
        for entry in entries(subject):
            if entry.key in _TEXTS and entry.is_cut and entry.trap is None:
                message = f"the text of `{entry.key}` ends at ` #`, where YAML takes the rest for a comment"
                right = f"{entry.key}: {quoted(entry.value)}"
                yield self.finding(subject.path, entry.span, message, f"If it belongs to the text, write: {right}")

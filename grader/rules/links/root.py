"""The rule ``link-root``."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.library import Library
from grader.course.page import Page
from grader.results import Finding
from grader.rules.base import PageRule
from grader.rules.links._targets import targets


class LinkRoot(PageRule):
    """A link stays below the folder that is checked."""

    id = "link-root"
    title = "Links stay in the repository"
    why = "What is beside the repository on one computer is not there on any other."
    file = "glossary/common-year.md"
    good = "[leap day](leap-day.md)"
    bad = "[leap day](../../glossary/leap-day.md)"
    fix = "Copy the file into the repository, or link its address on the web."

    def check(self, subject: Page, library: Library) -> Iterator[Finding]:
        for target in targets(subject):
            if target.outside:
                message = f"the link leads out of the repository, to `{target.path}` from its root"
                yield self.finding(subject.path, target.link.target_span, message)

"""The rule ``fence-closed``."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.library import Library
from grader.course.page import Page
from grader.results import Finding
from grader.rules.base import PageRule


class FenceClosed(PageRule):
    """A fenced block of code is closed."""

    id = "fence-closed"
    title = "Fences of code are closed"
    why = "All that follows is shown as code, and no other rule sees what is wrong in it."
    file = "lessons/resources.md"
    good = "import datetime\n```\n"
    bad = "import datetime\n``\n"
    fix = "Close the block by a line with the same marks as the one that opens it, and as many."

    def check(self, subject: Page, library: Library) -> Iterator[Finding]:
        for fence in subject.fences:
            if not fence.closed:
                message = f"the block of code that `{fence.mark}` opens in line {fence.span.line} is never closed"
                yield self.finding(subject.path, fence.span, message)

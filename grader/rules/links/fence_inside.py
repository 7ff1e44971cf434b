"""The rule ``fence-inside``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.course.library import Library
from grader.course.page import Fence, Page, Span
from grader.results import Finding
from grader.rules.base import PageRule


class FenceInside(PageRule):
    """No line in a fenced block of code looks like one that opens another."""

    id = "fence-inside"
    title = "Fences of code do not open inside others"
    why = "A line such as ```python closes nothing, so what was meant as text before it is shown as code."
    file = "lessons/resources.md"
    good = "import datetime\n```\n"
    bad = "import datetime\n\n```python\nimport calendar\n```\n"
    fix = "Close the block before; to show a fence as code, open the outer block with more marks than the inner one."

    def check(self, subject: Page, library: Library) -> Iterator[Finding]:
        for fence in subject.fences:
            for number in _openings(fence):
                line = subject.text.line(number)
                start = line.index(fence.mark) + 1
                message = f"this opens no block: the one of line {fence.span.line} is still open"
                yield self.finding(subject.path, Span(number, start, number, len(line.rstrip()) + 1), message)


def _openings(fence: Fence) -> Iterator[int]:
    """The numbers of the lines in a block that look as if they opened another."""
    opening = re.compile(rf" {{0,3}}{re.escape(fence.mark)}{fence.mark[0]}*[ \t]*[^\s`][^`]*")
    for number, line in enumerate(fence.content.split("\n"), fence.span.line + 1):
        if opening.fullmatch(line):
            yield number

"""The rule ``link-space``."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from grader.course.library import Library
from grader.course.page import Page
from grader.results import Finding
from grader.rules.base import PageRule


class LinkSpace(PageRule):
    """An address has no blanks: each is written ``%20``, or the address stands between ``<`` and ``>``."""

    id = "link-space"
    title = "Addresses have no blanks"
    why = "With a blank in its address a link is no link: brackets and address stand in the text."
    file = "lessons/lesson1.md"
    good = "[Resources](resources.md)"
    bad = "[Resources](our resources.md)"
    fix = "Write %20 for each blank, or put the address between < and >."

    def check(self, subject: Page, library: Library) -> Iterator[Finding]:
        for spaced in subject.spaced:
            right = quote(spaced.target, safe="/#?=&%()!$'*+,;:@~")
            message = f"this is no link, because its address `{spaced.target}` has a blank"
            yield self.finding(subject.path, spaced.span, message, f"Write {right}.")

"""The rule ``footnote``."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.library import Library
from grader.course.page import Page
from grader.results import Finding
from grader.rules.base import PageRule


class Footnote(PageRule):
    """A mark of a footnote has its footnote in the page."""

    id = "footnote"
    title = "Footnotes are there"
    why = "Without the note its mark stands in the text as it is written, and says nothing."
    file = "lessons/resources.md"
    good = "[^editions]: "
    bad = "[^edition]: "
    fix = "Write the note, as a paragraph that begins with the mark and a colon."

    def check(self, subject: Page, library: Library) -> Iterator[Finding]:
        for undefined in subject.undefined:
            if undefined.footnote:
                yield self.finding(subject.path, undefined.span, f"there is no footnote `[^{undefined.label}]:`")

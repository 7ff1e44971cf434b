"""The rule ``image-text``."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.library import Library
from grader.course.page import Page
from grader.results import Finding
from grader.rules.base import PageRule


class ImageText(PageRule):
    """An image has a text for whoever does not see it; one that only decorates has ``alt=""`` in HTML."""

    id = "image-text"
    severity = "warning"
    title = "Images have a text"
    why = "Whoever reads by ear or in a terminal gets the text in place of the image, or nothing."
    file = "lessons/resources.md"
    good = "![A wall calendar, open at February]("
    bad = "![]("
    fix = "Say in the brackets, or in `alt`, what the image shows."

    def check(self, subject: Page, library: Library) -> Iterator[Finding]:
        for link in subject.links:
            if link.image and link.text is None:
                yield self.finding(subject.path, link.span, f"the image `{link.target}` has no text")

"""The rule ``link-label``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.course.library import Library
from grader.course.page import Page
from grader.results import Finding
from grader.rules._near import did_you_mean
from grader.rules.base import PageRule

# What site generators put in place of such a line may define any label.
_INCLUDES = re.compile(r"\{%-?\s*include\b|^--8<--", re.MULTILINE)


class LinkLabel(PageRule):
    """The label of a reference link is defined in its page, or in a file that its page includes."""

    id = "link-label"
    title = "Labels of links are defined"
    why = "Without the definition, the brackets stand in the text and nothing is linked."
    file = "lessons/resources.md"
    good = "Every calendar there is."
    bad = "Every [calendar][calendars] there is."
    fix = "Write a line `[label]: address` in the page, or the address in the link: `[text](address)`."

    def check(self, subject: Page, library: Library) -> Iterator[Finding]:
        if library.dialect != "github" and _INCLUDES.search(subject.text.content):
            return
        labels = [definition.label for definition in subject.definitions]
        for undefined in subject.undefined:
            if not undefined.footnote:
                message = f"no line defines `[{undefined.label}]`{did_you_mean(undefined.label, labels)}"
                yield self.finding(subject.path, undefined.span, message)

"""The rule ``link-definition``."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.library import Library
from grader.course.page import Page
from grader.results import Finding
from grader.rules.base import PageRule


class LinkDefinition(PageRule):
    """A definition ``[label]: address`` is used by a link of its page.

    In dialects of site generators, a page that uses none of its definitions has them for pages that include it.
    """

    id = "link-definition"
    severity = "warning"
    title = "Definitions of links are used"
    why = "Nobody sees it, and nobody notices when its address no longer works."
    file = "lessons/resources.md"
    good = "[Calendrical Calculations][book]"
    bad = "[Calendrical Calculations](https://example.org/calculations)"
    fix = "Take the line out, or link its label: `[text][label]`."

    def check(self, subject: Page, library: Library) -> Iterator[Finding]:
        if library.dialect != "github" and not any(definition.used for definition in subject.definitions):
            return
        first: dict[str, int] = {}
        for definition in subject.definitions:
            line = first.setdefault(definition.label.casefold(), definition.span.line)
            if line != definition.span.line:
                message = f"`[{definition.label}]` is defined in line {line} already, and that one counts"
            else:
                message = f"no link uses `[{definition.label}]`"
            if not definition.used:
                yield self.finding(subject.path, definition.span, message)

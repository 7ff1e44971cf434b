"""The rule ``duplicate-id``."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.library import Library
from grader.course.page import Anchor, Heading, Page
from grader.results import Finding
from grader.rules.base import PageRule

# An id so close above a heading is put there for older links, and leads to the same place.
_ABOVE = 2


class DuplicateId(PageRule):
    """An id stands once in a page. Headings of the same text have different ids by themselves."""

    id = "duplicate-id"
    title = "Ids are given once"
    why = "A link to the id leads to the first place that has it, so the other cannot be linked."
    file = "lessons/resources.md"
    good = "## Books\n"
    bad = '## Books\n\nNo <a id="resources"></a>book is needed.\n'
    fix = "Give one of the two places another id, and change the links that lead to it."

    def check(self, subject: Page, library: Library) -> Iterator[Finding]:
        headings = {heading.anchor: heading for heading in subject.headings}
        first: dict[str, int] = {}
        for anchor in sorted(subject.anchors, key=lambda anchor: anchor.span):
            heading = headings.get(anchor.id)
            if anchor.id in first:
                message = f"the id `{anchor.id}` is in line {first[anchor.id]} already"
            elif heading is not None and not _leads_to(anchor, heading):
                message = f"`{anchor.id}` is the id of the heading in line {heading.span.line} already"
            else:
                message = ""
            first.setdefault(anchor.id, anchor.span.line)
            if message:
                yield self.finding(subject.path, anchor.span, message)


def _leads_to(anchor: Anchor, heading: Heading) -> bool:
    return 0 <= heading.span.line - anchor.span.line <= _ABOVE

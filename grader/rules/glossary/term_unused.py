"""The rule ``term-unused``."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.lesson import Term
from grader.course.library import Library
from grader.course.page import Page
from grader.results import Finding
from grader.rules._places import term_of, value_span
from grader.rules.base import CourseRule
from grader.rules.glossary._names import names_of, prose, uses


class TermUnused(CourseRule):
    """Each term of the glossary is used in a lesson, or linked from one or from another term."""

    id = "term-unused"
    severity = "warning"
    title = "Each term of the glossary is used"
    why = "A term that nothing uses is either not needed, or goes by another name in the lessons."
    file = "glossary/century.md"
    good = "title: century\n"
    bad = "title: epoch\n"
    fix = "Use it in a lesson, name in `aliases` what lessons call it, or delete its page."

    def check(self, subject: Library, library: Library) -> Iterator[Finding]:
        lessons = [lesson.page for lesson in subject.lessons.values()]
        unused = dict(subject.terms)
        for page in [*lessons, *(term.page for term in subject.terms.values())]:
            for link in page.links:
                linked = term_of(link, page)
                if linked is not None and linked in unused and unused[linked].page is not page:
                    del unused[linked]
        for page in lessons:
            if unused:
                _take_out(unused, page)
        for term in unused.values():
            message = f"no lesson and no other term uses `{term.title}`"
            yield self.finding(term.page.path, value_span(term.page, "title"), message, self.fix)


def _take_out(unused: dict[str, Term], page: Page) -> None:
    """Take out the terms whose names a page has in its text."""
    text = prose(page, 1, page.text.position(len(page.text.content))[0])
    for _, _, ids in list(uses(text, names_of(unused.values()))):
        for id in ids:
            unused.pop(id, None)

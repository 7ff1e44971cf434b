"""The rule ``term-first-use``."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.lesson import KNOW, Lesson
from grader.course.library import Library
from grader.results import Finding
from grader.rules._places import term_of
from grader.rules.base import LessonRule
from grader.rules.glossary._names import names_of, prose, uses


class TermFirstUse(LessonRule):
    """In *Know this* a term of the glossary is linked where it comes first."""

    id = "term-first-use"
    title = "A term is linked where it is first used"
    why = "Who does not know the word finds there what it means, and reads on."
    file = "lessons/lesson3.md"
    good = "An [ISO week](../glossary/iso-week.md) begins on a Monday."
    bad = "An ISO week begins on a Monday."
    fix = "Link it to its page in the glossary."

    def check(self, subject: Lesson, library: Library) -> Iterator[Finding]:
        for section in subject.sections:
            if section.title == KNOW:
                yield from self._in(subject, library, section.span.line, section.end_line)

    def _in(self, lesson: Lesson, library: Library, first: int, last: int) -> Iterator[Finding]:
        page, text = lesson.page, lesson.page.text
        known: dict[str, int] = {}
        for link in page.links:
            term = term_of(link, page)
            if term is not None and first <= link.span.line <= last:
                known.setdefault(term, text.offset(link.span.line, link.span.column))
        start = text.offset(first)
        for begin, end, ids in uses(prose(page, first, last), names_of(library.terms.values())):
            if any(known.get(id, start + begin + 1) <= start + begin for id in ids):
                continue
            written, id = text.content[start + begin : start + end], min(ids)
            message = f'"{written}" is a term of the glossary, used here first and not linked'
            fix = f"Write: [{' '.join(written.split())}](../glossary/{id}.md)"
            yield self.finding(page.path, text.span(start + begin, start + end), message, fix)
            known |= dict.fromkeys(ids, start + begin)

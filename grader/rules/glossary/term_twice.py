"""The rule ``term-twice``."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.lesson import Term
from grader.course.library import Library
from grader.course.page import Span
from grader.results import Finding
from grader.rules._places import strings, value_span
from grader.rules.base import CourseRule
from grader.rules.glossary._names import key


class TermTwice(CourseRule):
    """A name, title or alias, belongs to one term. Letter case, hyphens and blanks make no other name."""

    id = "term-twice"
    title = "A name belongs to one term"
    why = "Of two explanations of one word a reader finds either, and they drift apart."
    file = "glossary/weekday.md"
    good = "aliases: [day of the week]\n"
    bad = "aliases: [day of the week, Leap-Day]\n"
    fix = "Put the two pages together, or take the name out of one."

    def check(self, subject: Library, library: Library) -> Iterator[Finding]:
        first: dict[str, tuple[Term, Span | None]] = {}
        for path in ("title", "aliases"):
            for term in subject.terms.values():
                for name, span in _names(term, path):
                    other, place = first.setdefault(key(name), (term, span))
                    if other is not term:
                        line = "" if place is None else f", line {place.line}"
                        message = f'"{name}" is also a name of the term in {other.page.path}{line}'
                        yield self.finding(term.page.path, span, message, self.fix)


def _names(term: Term, path: str) -> Iterator[tuple[str, Span | None]]:
    if path == "aliases":
        yield from strings(term.page, "aliases")
    elif term.title.strip():
        yield term.title, value_span(term.page, "title")

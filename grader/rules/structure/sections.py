"""The rule ``sections``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches

from grader.course.lesson import SECTIONS, Lesson
from grader.course.library import Library
from grader.results import Finding
from grader.rules._near import did_you_mean
from grader.rules.base import LessonRule


class Sections(LessonRule):
    """A lesson has the sections Warm-up, Know this, Practice, Real-world reps, Going further and Not landing?."""

    id = "sections"
    title = "A lesson has its six sections, in their order"
    why = "Learners find their way by them, and questions and reps are looked for under their headings."
    file = "lessons/lesson1.md"
    good = "## Real-world reps\n"
    bad = "## Real world\n"
    fix = "Name the headings of level 2 as the sections are named; anything else is a heading of level 3."

    def check(self, subject: Lesson, library: Library) -> Iterator[Finding]:
        there = {section.title for section in subject.sections}
        missing = [title for title in SECTIONS if title not in there]
        yield from self._wrong_headings(subject, missing)
        for title in missing:
            if not get_close_matches(title, there - set(SECTIONS), 1, 0.7):
                yield self._missing(subject, title)

    def _wrong_headings(self, lesson: Lesson, missing: list[str]) -> Iterator[Finding]:
        path, seen, furthest = lesson.page.path, dict[str, int](), 0
        for section in lesson.sections:
            title, span = section.title, section.span
            if title not in SECTIONS:
                hint = did_you_mean(title, missing or SECTIONS)
                yield self.finding(path, span, f'no section of a lesson is called "{title}"{hint}', self.fix)
            elif title in seen:
                message = f'"{title}" is there twice, first in line {seen[title]}'
                yield self.finding(path, span, message, "Put the two together, or give one a heading of level 3.")
            elif SECTIONS.index(title) < furthest:
                message = f'"{title}" must come before "{SECTIONS[furthest]}"'
                yield self.finding(path, span, message, f"The order is: {', '.join(SECTIONS)}.")
            else:
                furthest = SECTIONS.index(title)
            seen.setdefault(title, span.line)

    def _missing(self, lesson: Lesson, title: str) -> Finding:
        path, text = lesson.page.path, lesson.page.text
        plain = re.search(rf"^[*_ \t]*{re.escape(title)}[*_: \t]*(?=\r?$)", text.content, re.MULTILINE)
        if plain is None:
            return self.finding(path, None, f'the section "{title}" is missing', f"Add a heading: ## {title}")
        message = f'"{title}" is a line of text here, and must be the heading of a section'
        return self.finding(path, text.span(*plain.span()), message, f"Write: ## {title}")

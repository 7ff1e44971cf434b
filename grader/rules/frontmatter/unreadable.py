"""The rule ``frontmatter-unreadable``."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.errors import CourseError
from grader.course.library import Library
from grader.course.page import Page, Span
from grader.results import Finding
from grader.rules.base import PageRule
from grader.rules.frontmatter._lines import entries, kind


class FrontmatterUnreadable(PageRule):
    """Frontmatter is YAML, in which some text has to stand in quotes."""

    id = "frontmatter-unreadable"
    title = "Frontmatter can be read"
    why = "One line that is no YAML takes all keys with it, so the page would lose its title and its place."
    file = "lessons/lesson1.md"
    good = "title: Leap Years\n"
    bad = "title: Leap Years: One More Day\n"
    fix = 'Put text in quotes that has a colon or begins with a sign: title: "Leap Years: One More Day".'

    def check(self, subject: Page, library: Library) -> Iterator[Finding]:
        frontmatter = subject.frontmatter
        if kind(subject, library) is None:
            return
        if frontmatter is not None and frontmatter.problem is None:
            return
        found = False
        for entry in entries(subject):
            trap = entry.trap
            if trap is not None:
                found = True
                yield self.finding(subject.path, entry.span, trap, f"Write: {entry.right}", entry.edits)
        if frontmatter is not None and frontmatter.problem is not None and not found:
            yield self._other(subject, frontmatter.problem)

    def _other(self, page: Page, problem: CourseError) -> Finding:
        line, column = problem.line or 1, problem.column or 1
        return self.finding(page.path, Span(line, column, line, len(page.text.line(line)) + 1), problem.message)

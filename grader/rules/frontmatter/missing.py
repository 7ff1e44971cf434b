"""The rule ``frontmatter-missing``."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.library import Library
from grader.course.page import Page, Span
from grader.results import Finding
from grader.rules.base import PageRule
from grader.rules.frontmatter._lines import entries, kind


class FrontmatterMissing(PageRule):
    """A lesson and a term begin with keys and values between two lines of three hyphens."""

    id = "frontmatter-missing"
    title = "A lesson and a term have frontmatter"
    why = "What stands there orders the lessons and writes the head of each. Without it a page belongs to nothing."
    file = "glossary/weekday.md"
    good = "---\ntitle: weekday\ntype: term\naliases: [day of the week]\nlesson: lesson2\n---\n"
    bad = "title: weekday\ntype: term\naliases: [day of the week]\nlesson: lesson2\n"
    fix = "Begin the file with a line ---, write the keys below it, and close them with another line ---."

    def check(self, subject: Page, library: Library) -> Iterator[Finding]:
        what = kind(subject, library)
        if what is None or subject.frontmatter is not None:
            return
        numbers = [entry.number for entry in entries(subject)]
        end = len(subject.text.line(1)) + 1
        if numbers and numbers[0] == 1:
            message = f"the keys of this {what} stand between no fences, so they are read as text"
            fix = f"Write a line --- before line 1 and one after line {numbers[-1]}, both from column 1."
        else:
            message = f"this {what} has no frontmatter: it must begin with a line ---, keys and values, and a line ---"
            fix = f"Begin the file with ---, `title: …`, `type: {what}` and the other keys, and close them with ---."
            if what == "lesson":
                fix += f"\n`course import {subject.path}` prints the page with as much of it as its lines say."
        yield self.finding(subject.path, Span(1, 1, 1, end), message, fix)

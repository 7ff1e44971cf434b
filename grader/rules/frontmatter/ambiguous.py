"""The rule ``frontmatter-ambiguous``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.course.library import Library
from grader.course.page import Page
from grader.results import Finding
from grader.rules.base import PageRule
from grader.rules.frontmatter._lines import NUMBERS, entries, kind, quoted

# Text in YAML 1.2, which is read here, and something else in YAML 1.1, which other tools read.
_OTHERWISE = (
    (re.compile(r"y|n|yes|no|on|off", re.IGNORECASE), "true or false"),
    (re.compile(r"[-+]?\d[\d_]*(:[0-5]?\d)+(\.\d*)?"), "a number to the base of 60"),
    (re.compile(r"\d{4}-\d\d?-\d\d?([Tt ].*)?"), "a date"),
    (re.compile(r"[-+]?0[0-7_]+"), "a number to the base of 8"),
    (re.compile(r"[-+]?(0\d+|\d[\d_]*_[\d_]*|0b[01_]+)"), "a number"),
)


class FrontmatterAmbiguous(PageRule):
    """Text that looks like a date, a time, a number or yes and no stands in quotes."""

    id = "frontmatter-ambiguous"
    severity = "warning"
    title = "Text that other tools read as something else stands in quotes"
    why = "Here `no`, `10:30` and `2026-11-30` are text as written. Another tool may make false, 630 or a date of them."
    file = "lessons/lesson2.md"
    good = "description: How a weekday moves on from year to year.\n"
    bad = "description: 10:30\n"
    fix = 'Put the text in quotes: title: "10:30".'

    def check(self, subject: Page, library: Library) -> Iterator[Finding]:
        if kind(subject, library) is None or subject.frontmatter is None:
            return
        for entry in entries(subject):
            if entry.key in NUMBERS:
                continue
            other = next((what for form, what in _OTHERWISE if form.fullmatch(entry.value)), None)
            if other is not None and entry.trap is None and isinstance(entry.parsed, str):
                right = f"{entry.lead}{entry.key}: {quoted(entry.value)}"
                message = f"`{entry.value}` is text here and {other} in other tools"
                yield self.finding(subject.path, entry.span, message, f"Write: {right}", entry.replace(right))

"""The rule ``severity-unknown``."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.course import FILE
from grader.course.library import Library
from grader.course.page import Span
from grader.course.source import Source
from grader.results import Finding
from grader.rules._names import advice
from grader.rules.base import FileRule


class SeverityUnknown(FileRule):
    """Each name under ``severities`` in ``course.yml`` is that of a rule."""

    id = "severity-unknown"
    title = "A severity is given to a rule"
    why = "A misspelt name leaves the rule that was meant as it is."
    file = "course.yml"
    good = "anchors: github\n"
    bad = "anchors: github\nseverities: {ignore-unusd: error}\n"
    fix = "Write the name of a rule as `course rules` lists it."

    def check(self, subject: str, library: Library) -> Iterator[Finding]:
        from grader.rules import rules

        if subject != FILE or library.course is None:
            return
        unknown = [name for name in library.course.severities if name not in rules()]
        keys = Source.read(library.root / FILE).document.keys if unknown else {}
        for name in unknown:
            line, column = keys["severities", name]
            span = Span(line, column, line, column + len(name))
            yield self.finding(subject, span, f"no rule is called `{name}`", advice(name))

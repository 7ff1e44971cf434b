"""The rule ``form-words``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import reduce

from grader.course.form import read_forms
from grader.course.library import Library
from grader.course.page import Text
from grader.course.source import Source
from grader.course.yaml import Path
from grader.results import Finding
from grader.rules.base import CourseRule
from grader.rules.forms._places import span_of

# What is true or false, and so no text.
_FLAGS = (("blank_issues_enabled",), ("multiple",), ("required",))
_WORDS = re.compile(r"yes|no|on|off", re.IGNORECASE)


class FormWords(CourseRule):
    """Yes, no, on and off stand in quotes in an issue form, where they are text."""

    id = "form-words"
    title = "Words that GitHub takes for true or false stand in quotes"
    why = "GitHub reads these words as true and false, and refuses a form in which they should be text."
    file = ".github/ISSUE_TEMPLATE/lesson-defect.yml"
    good = "labels: [lesson]\n"
    bad = "labels: [off]\n"
    fix = "Put the word in quotes."

    def check(self, subject: Library, library: Library) -> Iterator[Finding]:
        for path, form in read_forms(library).items():
            if not isinstance(form, Source):
                continue
            text = Text((library.root / path).read_text("utf-8-sig"))
            for place, word in _plain(form, text):
                meant = "true" if word.casefold() in ("yes", "on") else "false"
                message = f"GitHub reads `{word}` as {meant}"
                yield self.finding(path, span_of(form, place), message, f'Write: "{word}"')


def _plain(form: Source, text: Text) -> Iterator[tuple[Path, str]]:
    """The words without quotes where text should be, each with the path to it."""
    for place, (line, column) in form.document.values.items():
        value = reduce(lambda data, key: data[key], place, form.document.data)
        quoted = text.line(line)[column - 1 : column] in tuple("\"'|>")
        if isinstance(value, str) and _WORDS.fullmatch(value) and not quoted and place[-1:] not in _FLAGS:
            yield place, value

"""The rule ``form-unique``."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.form import fields, read_forms
from grader.course.library import Library
from grader.course.page import Span
from grader.course.source import Source
from grader.results import Finding
from grader.rules.base import CourseRule
from grader.rules.forms._places import span_of


class FormUnique(CourseRule):
    """Each field of an issue form has an id and a label of its own."""

    id = "form-unique"
    title = "The fields of an issue form differ in id and label"
    why = "GitHub refuses a form in which two fields have one id or one label."
    file = ".github/ISSUE_TEMPLATE/lesson-defect.yml"
    good = "id: unclear\n"
    bad = "id: place\n"
    fix = "Give each field an id and a label of its own."

    def check(self, subject: Library, library: Library) -> Iterator[Finding]:
        for path, form in read_forms(library).items():
            if isinstance(form, Source):
                yield from self._again(path, form)

    def _again(self, path: str, form: Source) -> Iterator[Finding]:
        first: dict[tuple[str, str], Span] = {}
        for field in fields(form):
            for key, value, place in (("id", field.id, ("id",)), ("label", field.label, ("attributes", "label"))):
                if not isinstance(value, str):
                    continue
                span = span_of(form, (*field.path, *place))
                earlier = first.setdefault((key, value), span)
                if earlier != span:
                    yield self.finding(path, span, f"the {key} `{value}` is given twice, first in line {earlier.line}")

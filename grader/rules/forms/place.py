"""The rule ``form-place``."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.form import PLACE, fields, read_forms, template_of
from grader.course.library import Library
from grader.course.page import Span
from grader.course.source import Source
from grader.results import Finding
from grader.rules.base import CourseRule
from grader.rules.forms._places import span_of


class FormPlace(CourseRule):
    """The form that ``report:`` opens has one input ``place``, which the link fills in."""

    id = "form-place"
    title = "The form that `report:` opens has an input `place`"
    why = "A link can fill in an input, and no dropdown. Without the place nobody knows where the defect is."
    file = ".github/ISSUE_TEMPLATE/lesson-defect.yml"
    good = "  - type: input\n    id: place\n"
    bad = "  - type: input\n    id: where\n"
    fix = "Give the form one field with `type: input` and `id: place`."

    def check(self, subject: Library, library: Library) -> Iterator[Finding]:
        report = None if library.course is None else library.course.report
        template = None if report is None else template_of(report)
        form = read_forms(library).get(template or "")
        if template is None or not isinstance(form, Source):
            return
        places = [field for field in fields(form) if field.id == PLACE]
        for field in places:
            if field.type != "input":
                message = f"the field `{PLACE}` is of type {field.type}, which a link cannot fill in"
                yield self.finding(template, span_of(form, field.path), message, self.fix)
        if not places:
            message = f"there is no field `{PLACE}`, which the link of `report:` fills in"
            yield self.finding(template, Span(1, 1, 1, 1), message, self.fix)

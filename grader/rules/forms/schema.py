"""The rule ``form-schema``."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.errors import CourseError
from grader.course.form import CHOOSER, read_forms
from grader.course.library import Library
from grader.results import Finding
from grader.rules.base import CourseRule
from grader.rules.forms._places import span_of_error


class FormSchema(CourseRule):
    """An issue form has the keys that GitHub knows, with values that it takes."""

    id = "form-schema"
    title = "An issue form is one that GitHub takes"
    why = "GitHub leaves a form with an error out of the list, and learners get an empty issue instead."
    file = ".github/ISSUE_TEMPLATE/lesson-defect.yml"
    good = "description: Tell us what kept you from understanding.\n"
    bad = "about: Tell us what kept you from understanding.\n"
    fix = "Write the keys as GitHub's syntax for issue forms has them; `course schema form` prints them."

    def check(self, subject: Library, library: Library) -> Iterator[Finding]:
        for path, form in read_forms(library).items():
            if isinstance(form, CourseError):
                problems = [form]
            else:
                problems = form.problems("form-chooser" if path == CHOOSER else "form")
            for problem in problems:
                yield self.finding(path, span_of_error(problem), problem.message)

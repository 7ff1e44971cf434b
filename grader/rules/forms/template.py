"""The rule ``form-template``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from grader.course.course import FILE
from grader.course.form import CHOOSER, read_forms, template_of
from grader.course.library import Library
from grader.course.source import Source
from grader.results import Finding
from grader.rules._near import did_you_mean
from grader.rules.base import CourseRule
from grader.rules.forms._places import span_of


class FormTemplate(CourseRule):
    """The issue form that ``report:`` of course.yml opens is there."""

    id = "form-template"
    title = "The form that `report:` opens is there"
    why = "Where GitHub finds no form of the name, a learner gets an empty issue, without the place that was filled in."
    file = "course.yml"
    good = "template=lesson-defect.yml"
    bad = "template=lesson-defects.yml"
    fix = "Name a file of .github/ISSUE_TEMPLATE after `template=` in `report:`."

    def check(self, subject: Library, library: Library) -> Iterator[Finding]:
        course = library.course
        template = None if course is None or course.report is None else template_of(course.report)
        if course is None or template is None or template in library.paths:
            return
        source = Source.read(course.file)
        known = [PurePosixPath(path).name for path in read_forms(library) if path != CHOOSER]
        name = PurePosixPath(template).name
        message = f"`report:` opens the form {name}, which is not there{did_you_mean(name, known)}"
        yield self.finding(FILE, span_of(source, ("report",)), message, self.fix)

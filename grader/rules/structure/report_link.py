"""The rule ``report-link``."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.lesson import NOT_LANDING, Lesson
from grader.course.library import Library
from grader.results import Edit, Finding
from grader.rules.base import LessonRule


class ReportLink(LessonRule):
    """The link under "Not landing?" opens the form of ``course.yml``, filled in with the lesson."""

    id = "report-link"
    title = "The last section links the form for a defect of this lesson"
    why = "A reader who is stuck reports it if that takes one click, and the report says which lesson is meant."
    file = "lessons/lesson1.md"
    good = "[report it](https://example.org/calendar/issues/new?template=lesson-defect.yml&place=lesson1)"
    bad = "[report it](https://example.org/calendar/issues/new?template=lesson-defect.yml&place=lesson2)"
    fix = "Let `course check --fix` write the link, from `report` of course.yml and the name of the file."

    def check(self, subject: Lesson, library: Library) -> Iterator[Finding]:
        section = next((section for section in subject.sections if section.title == NOT_LANDING), None)
        if section is None or library.course is None or library.course.report is None:
            return
        path, expected = subject.page.path, library.course.report.replace("{place}", subject.id)
        links = [
            link
            for link in subject.page.links
            if section.span.line < link.span.line <= section.end_line and "://" in link.target
        ]
        if any(link.target == expected for link in links):
            return
        if links:
            span = links[-1].target_span
            edits = (Edit(span.line, span.column, span.end_line, span.end_column, expected),)
            message = f"the link to report a defect must lead to {expected}"
            yield self.finding(path, span, message, f"Write: [{links[-1].text}]({expected})", edits)
        else:
            end = len(subject.page.text.line(section.end_line)) + 1
            sentence = f"If the lesson is unclear, that is a defect: [report it]({expected})."
            edits = (Edit(section.end_line, end, section.end_line, end, f"\n\n{sentence}"),)
            message = "no link to report that the lesson is unclear"
            yield self.finding(path, section.span, message, f"Write: {sentence}", edits)

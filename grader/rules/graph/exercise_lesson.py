"""The rule ``exercise-lesson``."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.errors import CourseError
from grader.course.exercise import Exercise
from grader.course.library import Library
from grader.course.page import Span
from grader.course.source import Source
from grader.results import Finding
from grader.rules._near import did_you_mean
from grader.rules._places import path_of
from grader.rules.base import ExerciseRule


class ExerciseLesson(ExerciseRule):
    """An exercise names its lesson, and its brief links it. (The lesson's head list links the exercise.)"""

    id = "exercise-lesson"
    title = "An exercise and its lesson know each other"
    why = "Who opens the exercise first finds what to read, and who reads the lesson finds what to build."
    file = "exercises/leap/README.md"
    good = "The exercise of [Lesson 1](../../lessons/lesson1.md)."
    bad = "The exercise of Lesson 1."
    fix = "Name the lesson in exercise.yml, and link it in README.md."

    def check(self, subject: Exercise, library: Library) -> Iterator[Finding]:
        folder = f"exercises/{subject.id}"
        if subject.lesson not in library.lessons:
            line, column = Source.read(subject.manifest).document.values[("lesson",)]
            message = f"there is no lesson `{subject.lesson}`{did_you_mean(subject.lesson, library.lessons)}"
            span = Span(line, column, line, column + len(subject.lesson))
            yield self.finding(f"{folder}/{subject.manifest.name}", span, message, self.fix)
            return
        brief = f"{folder}/README.md"
        try:
            page = library.page(brief)
        except CourseError:
            message = "the brief is missing: the page that says what to write"
            yield self.finding(f"{folder}/{subject.manifest.name}", None, message, f"Write {brief}.")
            return
        lesson = library.lessons[subject.lesson].page.path
        if all(path_of(link, page) != lesson for link in page.links):
            link = f"[Lesson {library.lessons[subject.lesson].order}](../../{lesson})"
            yield self.finding(brief, None, f"the brief does not link its lesson, {lesson}", f"Write: {link}")

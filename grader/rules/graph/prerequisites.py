"""The rule ``prerequisites``."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.lesson import Lesson
from grader.course.library import Library
from grader.results import Finding
from grader.rules._near import did_you_mean
from grader.rules._places import strings
from grader.rules.base import LessonRule


class Prerequisites(LessonRule):
    """What a lesson needs are lessons that come before it."""

    id = "prerequisites"
    title = "Prerequisites are earlier lessons"
    why = "Who reads the lessons in their order has then read what each one needs."
    file = "lessons/lesson2.md"
    good = "prerequisites: [lesson1]\n"
    bad = "prerequisites: [leson1]\n"
    fix = "Name lessons by their files, without .md, and give what is needed a smaller `order`."

    def check(self, subject: Lesson, library: Library) -> Iterator[Finding]:
        path = subject.page.path
        for id, span in strings(subject.page, "prerequisites"):
            other = library.lessons.get(id)
            if id == subject.id:
                yield self.finding(path, span, f"`{id}` is this lesson itself", "Take it out.")
            elif other is None:
                message = f"there is no lesson `{id}`{did_you_mean(id, library.lessons)}"
                yield self.finding(path, span, message, self.fix)
            elif _later(other, subject) and not _needs(library, other, subject.id):
                message = f"`{id}` comes later: its order is {other.order}, and this lesson's is {subject.order}"
                yield self.finding(path, span, message, f"Give `{id}` a smaller order, or this lesson a larger one.")


def _later(other: Lesson, lesson: Lesson) -> bool:
    return other.order is not None and lesson.order is not None and other.order > lesson.order


def _needs(library: Library, lesson: Lesson, id: str) -> bool:
    """Whether a lesson needs another, perhaps by way of others: then the two are on a cycle, and no order is right."""
    seen, waiting = set[str](), [lesson]
    while waiting:
        for needed in waiting.pop().prerequisites:
            if needed == id:
                return True
            if needed not in seen and needed in library.lessons:
                seen.add(needed)
                waiting.append(library.lessons[needed])
    return False

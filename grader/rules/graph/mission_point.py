"""The rule ``mission-point``."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.lesson import MISSION, Lesson
from grader.course.library import Library
from grader.results import Finding
from grader.rules._near import did_you_mean
from grader.rules._places import value_span
from grader.rules.base import LessonRule


class MissionPointThere(LessonRule):
    """A lesson serves a point of the mission."""

    id = "mission-point"
    title = "A lesson serves a point that the mission has"
    why = "A lesson that serves no point either does not belong to the course, or the mission lacks a point."
    file = "lessons/lesson2.md"
    good = "mission: name-the-day\n"
    bad = "mission: name-a-day\n"
    fix = "Name the id of one of the points under `Success looks like` in lessons/mission.md."

    def check(self, subject: Lesson, library: Library) -> Iterator[Finding]:
        known = [point.id for point in library.mission if point.id is not None]
        if subject.mission is not None and subject.mission not in known:
            message = f"{MISSION} has no point `{subject.mission}`{did_you_mean(subject.mission, known)}"
            yield self.finding(subject.page.path, value_span(subject.page, "mission"), message, self.fix)

"""The rule ``mission-served``."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.lesson import MISSION, SUCCESS, MissionPoint
from grader.course.library import Library
from grader.results import Finding
from grader.rules.base import CourseRule


class MissionServed(CourseRule):
    """Each point of the mission has an id, and a lesson that serves it unless it is marked as planned."""

    id = "mission-served"
    title = "Each point of the mission is served, or said to be planned"
    why = "The mission is a promise. A learner should see which part of it the course keeps by now."
    file = "lessons/mission.md"
    good = "**read other calendars** (planned):"
    bad = "**read other calendars**:"
    fix = "Name the point's id as `mission` in a lesson, or write `(planned)` behind its name."

    def check(self, subject: Library, library: Library) -> Iterator[Finding]:
        if not subject.mission:
            missing = f'the mission is missing: a page with points under a heading "{SUCCESS}"'
            yield self.finding(MISSION, None, missing, f'Write {MISSION} with a list under "## {SUCCESS}".')
        served = {lesson.mission for lesson in subject.lessons.values() if not lesson.draft}
        drafts = {lesson.mission: lesson.id for lesson in subject.lessons.values() if lesson.draft}
        ids = {point.id for point in subject.mission}
        # Where a lesson serves what is not there, it may have meant any point.
        known = served | set(drafts) <= ids
        first: dict[str, MissionPoint] = {}
        for point in subject.mission:
            message: str | None = None
            fix = self.fix
            if point.id is None:
                message, fix = "a point without an id", f'Write: - <a id="short-name"></a>**{point.label}**'
            elif first.setdefault(point.id, point) is not point:
                message = f"the id `{point.id}` is given twice, first in line {first[point.id].span.line}"
                fix = "Give each point an id of its own."
            elif point.planned and point.id in served:
                message, fix = f"`{point.id}` is marked as planned, and a lesson serves it", "Take out `(planned)`."
            elif known and not point.planned and point.id not in served:
                who = f"only a draft, {drafts[point.id]}, serves" if point.id in drafts else "no lesson serves"
                message = f"{who} `{point.id}`"
            if message is not None:
                yield self.finding(MISSION, point.span, message, fix)

"""What stands at the head of a lesson, written from its data."""

from __future__ import annotations

import re

from grader.course.errors import CourseError
from grader.course.lesson import Lesson, SourceWork
from grader.course.library import Library

_NEEDS_BRACKETS = re.compile(r"[()<>]")


def heading(lesson: Lesson) -> str | None:
    """The heading of a lesson; None if its data lack a part of it."""
    return f"# Lesson {lesson.order}. {lesson.title}" if (lesson.order or 0) > 0 and lesson.title else None


def head_list(lesson: Lesson, library: Library) -> str | None:
    """The list under the heading; None if the data lack a part of it, or name what is not there or unreadable."""
    mission = next((point.label for point in library.mission if point.id == lesson.mission), None)
    unreadable = any(isinstance(exercise, CourseError) for exercise in library.exercises.values())
    before = [_named(id, library) for id in lesson.prerequisites]
    if mission is None or lesson.source is None or None in before or unreadable:
        return None
    lines = {
        "Mission": f"[{mission}](mission.md#{lesson.mission})",
        "Primary source": _cited(lesson.source),
        "Prerequisites": ", ".join(filter(None, before)) or "none",
        "Exercise": ", ".join(_exercises(lesson, library)),
    }
    return "\n".join(f"- **{name}:** {text}" for name, text in lines.items() if text)


def _cited(source: SourceWork) -> str:
    url = f"<{source.url}>" if _NEEDS_BRACKETS.search(source.url) else source.url
    year = "" if source.year is None else f", {source.year}"
    return f'{source.kind}: ["{source.title}"]({url}), {source.by}{year}'


def _named(id: str, library: Library) -> str | None:
    lesson = library.lessons.get(id)
    return None if lesson is None or lesson.order is None else f"[Lesson {lesson.order}]({id}.md)"


def _exercises(lesson: Lesson, library: Library) -> list[str]:
    return [
        f"[{exercise.title}](../exercises/{id}/README.md)"
        for id, exercise in library.exercises.items()
        if not isinstance(exercise, CourseError) and exercise.lesson == lesson.id
    ]

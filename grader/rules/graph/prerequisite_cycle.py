"""The rule ``prerequisite-cycle``."""

from __future__ import annotations

from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter

from grader.course.library import Library
from grader.results import Finding
from grader.rules._places import value_span
from grader.rules.base import CourseRule


class PrerequisiteCycle(CourseRule):
    """No lesson needs itself by way of others."""

    id = "prerequisite-cycle"
    title = "Prerequisites make no circle"
    why = "Of lessons that need each other none can be read first."
    file = "lessons/lesson2.md"
    good = "prerequisites: [lesson1]\n"
    bad = "prerequisites: [lesson1, lesson3]\n"
    fix = "Take one of them out of the prerequisites of another."

    def check(self, subject: Library, library: Library) -> Iterator[Finding]:
        needs = {
            id: [needed for needed in dict.fromkeys(lesson.prerequisites) if needed in subject.lessons and needed != id]
            for id, lesson in subject.lessons.items()
        }
        while True:
            try:
                TopologicalSorter(needs).prepare()
            except CycleError as error:
                cycle = _from_the_first(list(reversed(error.args[1]))[1:], list(needs))
                page = subject.lessons[cycle[0]].page
                message = f"these lessons need each other: {' -> '.join([*cycle, cycle[0]])}"
                yield self.finding(page.path, value_span(page, "prerequisites"), message, self.fix)
                needs[cycle[0]].remove(cycle[1])
            else:
                return


def _from_the_first(cycle: list[str], order: list[str]) -> list[str]:
    """The cycle, begun at the lesson that comes first in the course."""
    start = min(range(len(cycle)), key=lambda index: order.index(cycle[index]))
    return [*cycle[start:], *cycle[:start]]

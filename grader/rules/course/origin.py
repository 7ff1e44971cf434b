"""The rule ``course-origin``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.course.course import FILE
from grader.course.library import Library
from grader.course.page import Span
from grader.course.source import Source
from grader.results import Finding
from grader.rules.base import FileRule

CONFIG = ".git/config"
_REMOTE = re.compile(r'^\[remote "origin"\][^\[]*?^\s*url\s*=\s*(\S+)', re.MULTILINE)
_ADDRESS = re.compile(r"(?:(?:https?|ssh|git)://)?(?:[^@/\s]+@)?([\w-]+(?:\.[\w-]+)+)(?::\d+)?[:/]+(.+?)(?:\.git)?/*")


class CourseOrigin(FileRule):
    """``repository`` in ``course.yml`` is where this copy was cloned from."""

    id = "course-origin"
    severity = "warning"
    title = "The course names the repository that it is in"
    why = "In a fork, learners would report the defects of your lessons to somebody else."
    file = "course.yml"
    good = "repository: https://example.org/calendar\n"
    bad = "repository: https://example.org/another/calendar\n"
    fix = "Change `repository` and `report` to your own; `course check --fix` then changes the links in lessons."

    def check(self, subject: str, library: Library) -> Iterator[Finding]:
        course = library.course
        if subject != FILE or course is None or course.repository is None:
            return
        origin = _origin(library)
        if origin is None or _same(origin) is None or _same(origin) == _same(course.repository):
            return
        line, column = Source.read(library.root / FILE).document.values["repository",]
        span = Span(line, column, line, column + len(course.repository))
        yield self.finding(subject, span, f"this copy comes from {origin}")


def _origin(library: Library) -> str | None:
    """The address of the remote ``origin``, if git says one."""
    try:
        found = _REMOTE.search((library.root / CONFIG).read_text("utf-8", "replace"))
    except OSError:
        return None
    return found and found[1]


def _same(address: str) -> str | None:
    """What the ways to write one address have in common; None for a folder.

    >>> _same("git@github.com:Some/course.git") == _same("https://github.com/some/course/")
    True
    >>> _same("../course") is None and _same("/srv/git/course.git") is None
    True
    """
    found = _ADDRESS.fullmatch(address)
    return found and f"{found[1]}/{found[2]}".lower()

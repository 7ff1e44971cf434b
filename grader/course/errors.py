"""What can be wrong with the course's own files."""

from __future__ import annotations

from pathlib import Path


class CourseError(Exception):
    """A file of the course is broken: which, where, and what was expected.

    >>> print(CourseError("`title` is missing", Path("course.yml"), 2, 1))
    course.yml:2:1: `title` is missing
    """

    def __init__(self, message: str, file: Path, line: int | None = None, column: int | None = None) -> None:
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        place = [str(part) for part in (file, line, column) if part is not None]
        super().__init__(f"{':'.join(place)}: {message}")

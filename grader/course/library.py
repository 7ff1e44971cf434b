"""All content under a folder: pages, lessons, terms and exercises, each read once, when first asked for."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from grader.course._reading import read_lesson, read_mission, read_term
from grader.course.course import Course, natural
from grader.course.errors import CourseError
from grader.course.exercise import Exercise
from grader.course.lesson import MISSION, Lesson, MissionPoint, Term, kind_of
from grader.course.markdown import read_page
from grader.course.page import Page
from grader.course.source import SPECIAL, is_special

Read = TypeVar("Read")
CONTENT_FOLDERS = frozenset({"lessons", "exercises", "glossary", "docs", ".github"})
MARKDOWN = (".md", ".markdown")
_NO_CONTENT = frozenset({".git", "node_modules", "__pycache__"})
_ENVIRONMENT = "pyvenv.cfg"


class Library:
    """The content under ``root``. ``course`` is None for a tree of Markdown that is no course.

    What is in ``.git``, ``node_modules`` and virtual environments is not content; links of the file system to
    folders are listed, not followed.
    """

    def __init__(self, root: Path, course: Course | None = None, dialect: str = "github") -> None:
        self.root = root
        self.course = course
        self.dialect = dialect
        self._pages: dict[str, Page | CourseError] = {}

    @cached_property
    def paths(self) -> frozenset[str]:
        """Every file and folder under the root, relative to it, letter case as it is."""
        return self._walked[0]

    @property
    def closed(self) -> Mapping[str, str]:
        """The folders that cannot be looked into, and why not."""
        return self._walked[1]

    @cached_property
    def _walked(self) -> tuple[frozenset[str], Mapping[str, str]]:
        closed: dict[str, str] = {}
        return frozenset(_walk(self.root, closed)), closed

    @cached_property
    def folded(self) -> Mapping[str, str]:
        """The paths by what they are when letter case does not count."""
        return {path.casefold(): path for path in self.paths}

    @cached_property
    def named(self) -> Mapping[str, list[str]]:
        """The paths by their last part."""
        return _grouped(self.paths, posixpath.basename)

    @cached_property
    def inside(self) -> Mapping[str, list[str]]:
        """The paths by the folder that they are in."""
        return _grouped(self.paths, posixpath.dirname)

    def has(self, path: str) -> bool:
        """Whether there is such a file or folder, in this letter case, perhaps through a link to a folder."""
        if path in self.paths or path == ".":
            return True
        above = (self.root / folder for folder in PurePosixPath(path).parents if str(folder) in self.paths)
        return any(folder.is_symlink() for folder in above) and (self.root / path).exists()

    @cached_property
    def page_paths(self) -> tuple[str, ...]:
        """The Markdown files that belong to the content, in order: of a course those in its folders and at its top."""
        found = (path for path in self.paths if path.lower().endswith(MARKDOWN) and self.is_content(path))
        return tuple(sorted(path for path in found if (self.root / path).is_file()))

    def is_content(self, path: str) -> bool:
        """Whether a path is in a folder of the content: of a course its folders and its top."""
        folder, _, inner = path.partition("/")
        return self.course is None or not inner or folder in CONTENT_FOLDERS

    def page(self, path: str) -> Page:
        """One page; CourseError, with its place, if it cannot be read as text."""
        found = self._pages.get(path)
        if found is None:
            found = self._pages[path] = self._read(path)
        if isinstance(found, CourseError):
            raise found
        return found

    def _read(self, path: str) -> Page | CourseError:
        file = self.root / path
        if is_special(file):
            return CourseError(SPECIAL, Path(path))
        try:
            return read_page(path, file.read_bytes(), self.dialect)
        except OSError as error:
            return CourseError(f"cannot be read: {error.strerror}", Path(path))
        except CourseError as error:
            return error

    def pages(self) -> Iterator[Page]:
        """Every page that can be read."""
        for path in self.page_paths:
            try:
                yield self.page(path)
            except CourseError:
                continue

    @cached_property
    def lessons(self) -> Mapping[str, Lesson]:
        """The lessons by id, in their order; those without a number come last. Each is read when asked for."""
        return _Lazily(self, "lesson", read_lesson, _place)

    @cached_property
    def terms(self) -> Mapping[str, Term]:
        """The terms of the glossary by id, each read when asked for."""
        return _Lazily(self, "term", read_term, lambda term: term.id)

    @cached_property
    def mission(self) -> tuple[MissionPoint, ...]:
        """The points of the mission; none if its page is missing or unreadable."""
        try:
            return read_mission(self.page(MISSION))
        except CourseError:
            return ()

    @cached_property
    def exercises(self) -> Mapping[str, Exercise | CourseError]:
        """The exercises by id, or what keeps one from being read."""
        return {} if self.course is None else {id: _exercise(self.course, id) for id in self.course.exercises()}


class _Lazily(Mapping[str, Read]):
    """What the pages of one kind say, by id: read one by one, and put in order only when all are asked for."""

    def __init__(self, library: Library, kind: str, read: Callable[[Page], Read], order: Callable[[Read], Any]) -> None:
        self.library = library
        self.paths = {PurePosixPath(path).stem: path for path in library.page_paths if kind_of(path) == kind}
        self.read = read
        self.order = order
        self.known: dict[str, Read] = {}

    def __getitem__(self, id: str) -> Read:
        if id not in self.known:
            try:
                self.known[id] = self.read(self.library.page(self.paths[id]))
            except CourseError as error:
                raise KeyError(id) from error
        return self.known[id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._ordered)

    def __len__(self) -> int:
        return len(self._ordered)

    @cached_property
    def _ordered(self) -> list[str]:
        return sorted(filter(self.__contains__, self.paths), key=lambda id: self.order(self[id]))


def _grouped(paths: Iterable[str], key: Callable[[str], str]) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = {}
    for path in sorted(paths):
        grouped.setdefault(key(path), []).append(path)
    return grouped


def _exercise(course: Course, id: str) -> Exercise | CourseError:
    try:
        return course.exercise(id)
    except CourseError as error:
        return error


def _place(lesson: Lesson) -> tuple[bool, int, tuple[tuple[int, str], ...]]:
    return lesson.order is None, lesson.order or 0, natural(lesson.id)


def _walk(root: Path, closed: dict[str, str]) -> Iterator[str]:
    """Everything under a folder, but for what is in folders that cannot be read, which ``closed`` gets.

    One folder is open at a time, and none that a link leads to.
    """
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(root / folder) as entries:
                inside = list(entries)
        except OSError as error:
            closed[folder] = error.strerror or "it is closed"
            continue
        if folder and any(entry.name == _ENVIRONMENT for entry in inside):
            continue
        for entry in inside:
            path = str(PurePosixPath(folder, entry.name))
            yield path
            if entry.name not in _NO_CONTENT and entry.is_dir(follow_symlinks=False):
                waiting.append(path)

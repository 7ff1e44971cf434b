"""All content under a folder: pages, lessons, terms and exercises, each read once, when first asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from grader.course.course import Course
from grader.course.errors import CourseError
from grader.course.exercise import Exercise
from grader.course.lesson import Lesson, Term
from grader.course.page import Page


class Library:
    """The content under ``root``. ``course`` is None for a tree of Markdown that is no course."""

    def __init__(self, root: Path, course: Course | None = None, dialect: str = "github") -> None:
        self.root = root
        self.course = course
        self.dialect = dialect

    @cached_property
    def paths(self) -> frozenset[str]:
        """Every file and folder under the root, relative to it, letter case as it is."""
        raise NotImplementedError

    @cached_property
    def page_paths(self) -> tuple[str, ...]:
        """The Markdown files that belong to the content, in order: of a course those in its folders and at its top."""
        raise NotImplementedError

    def page(self, path: str) -> Page:
        """One page; CourseError, with its place, if it cannot be read as text."""
        raise NotImplementedError

    def pages(self) -> Iterator[Page]:
        """Every page that can be read."""
        raise NotImplementedError

    @cached_property
    def lessons(self) -> Mapping[str, Lesson]:
        """The lessons by id, in their order."""
        raise NotImplementedError

    @cached_property
    def terms(self) -> Mapping[str, Term]:
        """The terms of the glossary by id."""
        raise NotImplementedError

    @cached_property
    def exercises(self) -> Mapping[str, Exercise | CourseError]:
        """The exercises by id, or what keeps one from being read."""
        raise NotImplementedError

"""The course as a whole: ``course.yml`` as frozen data, and the way to its exercises."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grader
from grader.course.errors import CourseError
from grader.course.exercise import ELSEWHERE, MANIFEST, Exercise, read_exercise
from grader.course.source import Source

if TYPE_CHECKING:
    from grader.course.lesson import Lesson
    from grader.course.library import Library

FILE = "course.yml"
PACKAGE = Path(grader.__file__).parent


@dataclass(frozen=True, slots=True)
class Course:
    """A course. ``suites`` is the folder of the hidden suites, if this edition names or has one."""

    file: Path
    title: str
    description: str
    suites: Path | None
    language: str
    repository: str | None
    report: str | None
    anchors: str
    severities: Mapping[str, str]
    ignored_links: tuple[str, ...] = ()

    @classmethod
    def find(cls, start: Path, *, check: bool = True) -> Course:
        """Find the course of ``start``: above it, above the current folder, or the one that comes with the package."""
        for file in _candidates(start):
            if file.is_file():
                return cls.read(file, check=check)
        raise CourseError(
            "no course found: change to a folder of the course, or give a path inside it",
            start.absolute() / FILE,
        )

    @classmethod
    def read(cls, file: Path, *, check: bool = True) -> Course:
        """Read one ``course.yml``; ``check`` as for ``read_exercise``."""
        return Source.read(file).build("course", lambda data: _make(data, file), check=check)

    @property
    def exercises_folder(self) -> Path:
        return self.file.parent / "exercises"

    @property
    def edition(self) -> bool:
        """Whether this is the learners' edition, which has the visible part of each suite alone."""
        return self.suites is not None and any(self.suites.glob(f"*/{ELSEWHERE}"))

    def exercises(self) -> list[str]:
        """The ids of the exercises, ``lesson9`` before ``lesson10``."""
        manifests = self.exercises_folder.glob(f"*/{MANIFEST}")
        return sorted((manifest.parent.name for manifest in manifests), key=natural)

    def exercise(self, id: str, *, check: bool = True) -> Exercise:
        """Read the exercise ``id``; ``check`` as for ``read_exercise``."""
        return read_exercise(self.exercises_folder / id, self.suites, check=check)

    def lesson(self, id: str) -> Lesson:
        """Read the lesson ``id``; CourseError, with its place, if something of it is missing or malformed."""
        from grader.course._reading import read_lesson

        with self._located():
            return _whole(read_lesson(self._library().page(f"lessons/{id}.md")))

    def lessons(self) -> tuple[Lesson, ...]:
        """The lessons in their order; CourseError as for ``lesson``."""
        with self._located():
            return tuple(_whole(lesson) for lesson in self._library().lessons.values())

    def _library(self) -> Library:
        from grader.course.library import Library

        return Library(self.file.parent, self, self.anchors)

    @contextmanager
    def _located(self) -> Iterator[None]:
        """Errors of pages name their files by paths in the course; outside of it the whole path counts."""
        try:
            yield
        except CourseError as error:
            raise CourseError(error.message, self.file.parent / error.file, error.line, error.column) from None


def _make(data: dict[str, Any], file: Path) -> Course:
    return Course(
        file=file,
        title=data["title"],
        description=data["description"],
        suites=_suites(file, data.get("suites")),
        language=data.get("language", "en"),
        repository=data.get("repository"),
        report=data.get("report"),
        anchors=data.get("anchors", "github"),
        severities=dict(data.get("severities", {})),
        ignored_links=tuple(data.get("ignored_links", ())),
    )


def _whole(lesson: Lesson) -> Lesson:
    """The lesson, if its frontmatter fits the schema and each question can be named and answered."""
    file, frontmatter = Path(lesson.page.path), lesson.page.frontmatter
    if frontmatter is None:
        raise CourseError("the frontmatter is missing: keys and values between two lines of ---", file, 1, 1)
    if frontmatter.problem is not None:
        raise frontmatter.problem
    if frontmatter.source is not None:
        frontmatter.source.check("lesson")
    for question in lesson.questions:
        for part, given in (("an id", question.id), ("an answer", question.answer)):
            if given is None:
                what = f"question {question.number} of {question.section} must have {part}"
                raise CourseError(what, file, question.span.line, question.span.column)
    return lesson


def _candidates(start: Path) -> list[Path]:
    here = start.absolute()
    current = Path.cwd()
    folders = [here, *here.parents, current, *current.parents, PACKAGE / "content", PACKAGE.parent]
    return [folder / FILE for folder in folders]


def _suites(file: Path, named: str | None) -> Path | None:
    if named is not None:
        return file.parent / named
    packaged = PACKAGE / "suites"
    return packaged if packaged.is_dir() else None


def natural(name: str) -> tuple[tuple[int, str], ...]:
    """Give what sorts names as people do: ``lesson2`` before ``lesson10``.

    >>> sorted(["try10", "try2", "try"], key=natural)
    ['try', 'try2', 'try10']
    """
    parts = re.findall("[0-9]+|[^0-9]+", name)
    # Of two numbers without zeros in front, the longer is the larger.
    digits = (part.lstrip("0") if part[0] in "0123456789" else None for part in parts)
    return tuple((-1, part) if each is None else (len(each), each) for part, each in zip(parts, digits, strict=True))

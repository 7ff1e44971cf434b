"""The course as a whole: ``course.yml`` as frozen data, and the way to its exercises."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grader
from grader.course.errors import CourseError
from grader.course.exercise import MANIFEST, Exercise, read_exercise
from grader.course.source import Source

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

    def exercises(self) -> list[str]:
        """The ids of the exercises, ``lesson9`` before ``lesson10``."""
        manifests = self.exercises_folder.glob(f"*/{MANIFEST}")
        return sorted((manifest.parent.name for manifest in manifests), key=_natural)

    def exercise(self, id: str, *, check: bool = True) -> Exercise:
        """Read the exercise ``id``; ``check`` as for ``read_exercise``."""
        return read_exercise(self.exercises_folder / id, self.suites, check=check)


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
    )


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


def _natural(name: str) -> list[tuple[int, str]]:
    parts = re.findall(r"\d+|\D+", name)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]

"""What ``course check`` is about: a course, or a folder of Markdown, and which of its files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from grader.cli._files import nearest
from grader.course import Course, CourseError
from grader.course.course import FILE
from grader.course.library import Library
from grader.rules.engine import EXERCISES, files, is_page


@dataclass(frozen=True, slots=True)
class Tree:
    """A library, and which of its files to check: all if ``paths`` is None. ``broken``: its course cannot be read."""

    library: Library
    paths: frozenset[str] | None
    broken: bool = False

    @property
    def root(self) -> Path:
        return self.library.root

    @property
    def repository(self) -> Path:
        """The root of the repository, or of the tree if it is in none."""
        return nearest(self.root, ".git") or self.root


def find_tree(given: Sequence[Path], dialect: str | None) -> Tree:
    """Find what ``given`` paths are about, or the current folder.

    The root is the folder of the nearest course, else of the repository, else the one that holds all paths.
    """
    paths = [Path(os.path.normpath(path.absolute())) for path in given] or [Path.cwd()]
    for path, said in zip(paths, given, strict=False):
        if not os.path.lexists(path):
            raise click.UsageError(f"there is no file or folder {said}.")
    courses = {nearest(path, FILE) for path in paths}
    if len(courses) > 1:
        raise click.UsageError("the paths do not all belong to one course: check each course alone.")
    folder = courses.pop()
    if folder is not None:
        if dialect is not None:
            raise click.UsageError(f"--dialect: {folder / FILE} says whose Markdown it is, by `anchors`.")
        try:
            course = Course.read(folder / FILE, check=False)
        except CourseError:
            return Tree(Library(folder), frozenset({FILE}), broken=True)
        library = Library(folder, course, course.anchors)
        # Without a path the whole course is meant, wherever in it one is.
        return Tree(library, _chosen(library, paths) if given else None)
    shared = Path(os.path.commonpath([path if path.is_dir() else path.parent for path in paths]))
    library = Library(nearest(shared, ".git") or shared, dialect=dialect or "github")
    return Tree(library, _chosen(library, paths))


def _chosen(library: Library, paths: Sequence[Path]) -> frozenset[str] | None:
    """The files that ``paths`` stand for; None for all. A page that is named counts wherever it is."""
    if library.root in paths:
        if not files(library):
            raise click.UsageError(f"there is no Markdown in {library.root}.")
        return None
    return frozenset(name for path in paths for name in _files_of(library, path))


def _files_of(library: Library, path: Path) -> list[str]:
    name = path.relative_to(library.root).as_posix()
    if not path.is_dir():
        if not is_page(name) and name != FILE and not name.startswith(f"{EXERCISES}/"):
            raise click.UsageError(f"{path} is neither Markdown nor part of an exercise.")
        return [name]
    found = [each for each in files(library) if each.startswith(f"{name}/")]
    if not found:
        raise click.UsageError(f"there is nothing in {path} that belongs to {library.root}.")
    return found

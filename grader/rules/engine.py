"""Runs rules: gives each its subjects, and puts what they find in order, without what a page says to ignore."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any, cast

from grader.course.course import FILE
from grader.course.errors import CourseError
from grader.course.exercise import MANIFEST
from grader.course.lesson import Lesson, Term
from grader.course.library import MARKDOWN, Library
from grader.course.page import Page
from grader.results import Finding, Severity
from grader.rules.base import CourseRule, ExerciseRule, FileRule, LessonRule, PageRule, Rule, TermRule
from grader.rules.ignores.comments import Checked, Ignore, IgnoreRule, ignores

Paths = Collection[str] | None
Subjects = Sequence[tuple[str, Any]]

NEEDS_COURSE = (LessonRule, TermRule, ExerciseRule, CourseRule)
EXERCISES = "exercises"
_MANIFEST = re.compile(rf"{re.escape(FILE)}|{EXERCISES}/[^/]+/{re.escape(MANIFEST)}")


class RuleFault(Exception):
    """A rule itself failed: which, and on what. The cause is the error that it raised."""

    def __init__(self, rule: str, subject: str, error: Exception) -> None:
        super().__init__(f"rule {rule} failed on {subject}: {type(error).__name__}: {error}")


def check(library: Library, rules: Iterable[Rule[Any]], paths: Paths = None) -> tuple[Finding, ...]:
    """Everything that ``rules`` find, each once, by path, line, column and rule, with the severities of the course.

    With ``paths``, files relative to the library's root, only these are looked at, and rules about the course as a
    whole do not run. What a page says to ignore is left out.
    """
    running = running_of(library, rules, paths)
    subjects = _Subjects(library, paths)
    found = [finding for rule in running for finding in _run(rule, subjects)]
    kept = [finding for finding in found if not subjects.ignore(finding)]
    kept += _about_ignores(running, found, subjects)
    severities = _severities(library)
    graded = [replace(each, severity=cast(Severity, severities.get(each.rule, each.severity))) for each in kept]
    return tuple(sorted(dict.fromkeys(graded), key=_order))


def _about_ignores(running: Sequence[Rule[Any]], found: Sequence[Finding], subjects: _Subjects) -> Iterator[Finding]:
    """What rules find about comments that ignore, once it is known what there is to ignore."""
    ran = frozenset(rule.id for rule in running)
    for rule in running:
        if isinstance(rule, IgnoreRule):
            for path, page in subjects.pages:
                about = tuple(finding for finding in found if finding.path == path) if subjects.remarks(path) else ()
                yield from _findings(rule, Checked(page, ran, about), subjects.library, path)


def running_of(library: Library, rules: Iterable[Rule[Any]], paths: Paths = None) -> list[Rule[Any]]:
    """Those of ``rules`` that run: not switched off, not about a course where there is none or a part is checked."""
    off = {id for id, severity in _severities(library).items() if severity == "off"}
    left_out: tuple[type[Rule[Any]], ...] = () if paths is None else (CourseRule,)
    if library.course is None:
        left_out = NEEDS_COURSE
    return [rule for rule in rules if rule.id not in off and not isinstance(rule, left_out)]


def _severities(library: Library) -> Mapping[str, str]:
    return {} if library.course is None else library.course.severities


def files(library: Library, paths: Paths = None) -> list[str]:
    """The files that are checked: pages, and of a course ``course.yml`` and the manifests of its exercises, too."""
    if paths is not None:
        return sorted(paths)
    return sorted(path for path in library.paths if _is_checked(path, library))


def is_page(path: str) -> bool:
    """Whether a file is a Markdown page, by its name."""
    return path.lower().endswith(MARKDOWN)


def _is_checked(path: str, library: Library) -> bool:
    """Whether a file is content, also one that cannot be read, such as a link that leads nowhere."""
    if library.course is not None and _MANIFEST.fullmatch(path):
        return True
    if path in library.closed:
        return library.is_content(f"{path}/")
    return is_page(path) and library.is_content(path) and not (library.root / path).is_dir()


class _Subjects:
    """What rules are about, each kind found once: the subjects, with the path to name if a rule fails on one."""

    def __init__(self, library: Library, paths: Paths) -> None:
        self.library = library
        self.paths = paths
        self.known: dict[str, tuple[Ignore, ...]] = {}

    def of(self, rule: Rule[Any]) -> Subjects:
        match rule:
            case FileRule():
                return [(path, path) for path in self.files]
            case PageRule():
                return self.pages
            case LessonRule():
                return self.lessons
            case TermRule():
                return self.terms
            case ExerciseRule():
                return self.exercises
            case CourseRule():
                return [(FILE, self.library)]
            case _:
                return []

    @cached_property
    def files(self) -> list[str]:
        return files(self.library, self.paths)

    @cached_property
    def pages(self) -> list[tuple[str, Page]]:
        """The pages that can be read; a rule about files says why another cannot."""
        return [(path, page) for path in self.files if (page := self.page(path)) is not None]

    @cached_property
    def lessons(self) -> Subjects:
        return list(self._of_pages(self.library.lessons))

    @cached_property
    def terms(self) -> Subjects:
        return list(self._of_pages(self.library.terms))

    @cached_property
    def exercises(self) -> Subjects:
        return list(self._exercises())

    def page(self, path: str) -> Page | None:
        """A page, if the file is one that can be read."""
        try:
            return self.library.page(path) if is_page(path) else None
        except CourseError:
            return None
        except Exception as error:
            raise RuleFault("reading", path, error) from error

    def ignore(self, finding: Finding) -> bool:
        """Whether the page of a finding says to ignore it."""
        return any(remark.covers(finding) for remark in self.remarks(finding.path))

    def remarks(self, path: str) -> tuple[Ignore, ...]:
        """What a page says to ignore."""
        if path not in self.known:
            page = self.page(path)
            self.known[path] = () if page is None else ignores(page)
        return self.known[path]

    def _of_pages(self, made: Mapping[str, Lesson] | Mapping[str, Term]) -> Iterator[tuple[str, Any]]:
        """Lessons or terms. Of ``paths`` only those are asked for, by their ids, so that no other need be read."""
        ids = made if self.paths is None else [PurePosixPath(path).stem for path in self.files]
        for id in ids:
            subject = made.get(id)
            if subject is not None and (self.paths is None or subject.page.path in self.paths):
                yield subject.page.path, subject

    def _exercises(self) -> Iterator[tuple[str, Any]]:
        if self.paths is not None and not any(path.startswith(f"{EXERCISES}/") for path in self.paths):
            return
        for id, exercise in self.library.exercises.items():
            folder = f"{EXERCISES}/{id}/"
            chosen = self.paths is None or any(path.startswith(folder) for path in self.paths)
            if chosen and not isinstance(exercise, CourseError):
                yield folder + MANIFEST, exercise


def _order(finding: Finding) -> tuple[str, int, int, str, str]:
    return finding.path, finding.line or 0, finding.column or 0, finding.rule, finding.message


def _run(rule: Rule[Any], subjects: _Subjects) -> Iterator[Finding]:
    for where, subject in subjects.of(rule):
        yield from _findings(rule, subject, subjects.library, where)


def _findings(rule: Rule[Any], subject: Any, library: Library, where: str) -> list[Finding]:
    try:
        return list(rule.check(subject, library))
    except Exception as error:
        raise RuleFault(rule.id, where, error) from error

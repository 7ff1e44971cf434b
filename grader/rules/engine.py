"""Runs rules: gives each its subjects, and puts what they find in order, without what a page says to ignore."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
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
Subjects = Iterator[tuple[str, Any]]

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
    found = [finding for rule in running for finding in _run(rule, library, paths)]
    remarks = _Remarks(library)
    kept = [finding for finding in found if not remarks.ignore(finding)]
    ran = frozenset(rule.id for rule in running)
    for rule in running:
        if isinstance(rule, IgnoreRule):
            for path, page in _pages(library, paths):
                about = tuple(finding for finding in found if finding.path == path) if remarks.of(path) else ()
                kept += _findings(rule, Checked(page, ran, about), library, path)
    severities = _severities(library)
    graded = [replace(each, severity=cast(Severity, severities.get(each.rule, each.severity))) for each in kept]
    return tuple(sorted(dict.fromkeys(graded), key=_order))


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
    return is_page(path) and library.is_content(path) and not (library.root / path).is_dir()


class _Remarks:
    """What pages say to ignore, each page looked at once, when first asked for."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.known: dict[str, tuple[Ignore, ...]] = {}

    def of(self, path: str) -> tuple[Ignore, ...]:
        if path not in self.known:
            page = _page(self.library, path) if is_page(path) else None
            self.known[path] = ignores(page) if page is not None else ()
        return self.known[path]

    def ignore(self, finding: Finding) -> bool:
        return any(remark.covers(finding) for remark in self.of(finding.path))


def _order(finding: Finding) -> tuple[str, int, int, str, str]:
    return finding.path, finding.line or 0, finding.column or 0, finding.rule, finding.message


def _run(rule: Rule[Any], library: Library, paths: Paths) -> Iterator[Finding]:
    for where, subject in _subjects(rule, library, paths):
        yield from _findings(rule, subject, library, where)


def _findings(rule: Rule[Any], subject: Any, library: Library, where: str) -> list[Finding]:
    try:
        return list(rule.check(subject, library))
    except Exception as error:
        raise RuleFault(rule.id, where, error) from error


def _subjects(rule: Rule[Any], library: Library, paths: Paths) -> Subjects:
    """What a rule is about, each with the path to name if the rule fails on it."""
    match rule:
        case FileRule():
            return ((path, path) for path in files(library, paths))
        case PageRule():
            return _pages(library, paths)
        case LessonRule():
            return _of_pages(library.lessons, paths)
        case TermRule():
            return _of_pages(library.terms, paths)
        case ExerciseRule():
            return _exercises(library, paths)
        case CourseRule():
            return iter([(FILE, library)])
        case _:
            return iter(())


def _pages(library: Library, paths: Paths) -> Iterator[tuple[str, Page]]:
    """The pages that can be read; a rule about files says why another cannot."""
    for path in filter(is_page, files(library, paths)):
        page = _page(library, path)
        if page is not None:
            yield path, page


def _page(library: Library, path: str) -> Page | None:
    try:
        # A pipe would be waited for.
        return library.page(path) if (library.root / path).is_file() else None
    except CourseError:
        return None
    except Exception as error:
        raise RuleFault("reading", path, error) from error


def _of_pages(subjects: Mapping[str, Lesson] | Mapping[str, Term], paths: Paths) -> Subjects:
    """Lessons or terms. Of ``paths`` only those are asked for, by their ids, so that no other need be read."""
    ids = subjects if paths is None else [PurePosixPath(path).stem for path in sorted(paths)]
    for id in ids:
        subject = subjects.get(id)
        if subject is not None and (paths is None or subject.page.path in paths):
            yield subject.page.path, subject


def _exercises(library: Library, paths: Paths) -> Subjects:
    for id, exercise in library.exercises.items():
        folder = f"{EXERCISES}/{id}/"
        chosen = paths is None or any(path.startswith(folder) for path in paths)
        if chosen and not isinstance(exercise, CourseError):
            yield folder + MANIFEST, exercise

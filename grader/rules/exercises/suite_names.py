"""The rule ``suite-names``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from grader.course.exercise import MANIFEST, Exercise
from grader.course.library import Library
from grader.course.page import Span
from grader.results import Finding
from grader.rules._near import did_you_mean
from grader.rules.base import ExerciseRule
from grader.rules.exercises._functions import reference_of

_STUDENT = "student"


class SuiteNames(ExerciseRule):
    """The suite calls functions that the manifest lists, and the reference solution defines each."""

    id = "suite-names"
    title = "Suite, reference solution and manifest name the same functions"
    why = "A test of a function that no learner is told to write is a test that all of them fail."
    file = "hidden/leap/test_leap.py"
    good = 'student.is_leap(year) is leap, "The rule begins with 4."'
    bad = 'student.leap(year) is leap, "The rule begins with 4."'
    fix = "Use one name in exercise.yml, in the reference solution and in the suite."

    def check(self, subject: Exercise, library: Library) -> Iterator[Finding]:
        if subject.suite is None:
            return
        manifest, known = f"exercises/{subject.id}/{MANIFEST}", [spec.name for spec in subject.functions]
        for spec in subject.functions:
            if reference_of(subject, spec) is None:
                message = f"the reference solution has no `{spec.name}` in {spec.file}"
                yield self.finding(manifest, Span(spec.line, 1, spec.line, 1), message, self.fix)
        for file in sorted(subject.suite.glob("test_*.py")):
            for name, line in _called(file):
                if name not in known:
                    message = f"line {line} of {file.name} calls `{name}`, which no manifest lists"
                    yield self._at(file, line, manifest, library, message + did_you_mean(name, known))

    def _at(self, file: Path, line: int, manifest: str, library: Library, message: str) -> Finding:
        """A finding in the suite; in the manifest if the suite is kept elsewhere, out of the course."""
        inside, root = file.resolve(), library.root.resolve()
        if inside.is_relative_to(root):
            return self.finding(inside.relative_to(root).as_posix(), Span(line, 1, line, 1), message, self.fix)
        return self.finding(manifest, None, message, self.fix)


def _called(file: Path) -> Iterator[tuple[str, int]]:
    """The functions that a suite takes from the learner, each once, with the first line; none if it is no Python."""
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return
    first: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == _STUDENT:
            first[node.attr] = min(node.lineno, first.get(node.attr, node.lineno))
    yield from first.items()

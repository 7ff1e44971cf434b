"""The functions of an exercise as its files define them."""

from __future__ import annotations

import ast
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

from grader.course.exercise import Exercise, FunctionSpec
from grader.course.page import Span

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Stub:
    """What a learner is given of a function. ``function`` is None, with ``problem``, if the file does not define it."""

    path: str
    function: Function | None
    source: str
    problem: str | None = None
    line: int | None = None

    @property
    def span(self) -> Span | None:
        """The name in the file, or where the file is broken."""
        if self.function is None:
            return None if self.line is None else Span(self.line, 1, self.line, 1)
        line = self.function.lineno
        written = self.source.splitlines()[line - 1]
        column = written.index(self.function.name, self.function.col_offset) + 1
        return Span(line, column, line, column + len(self.function.name))


def stub_of(exercise: Exercise, spec: FunctionSpec) -> Stub:
    """The stub as it was given out; a learner's own copy may be further on."""
    pristine = exercise.pristine(spec.file)
    file = pristine if pristine.is_file() else exercise.folder / spec.file
    path = f"exercises/{exercise.id}/{file.relative_to(exercise.folder).as_posix()}"
    try:
        source = file.read_text("utf-8")
        function = find(source, spec.name)
    except OSError as error:
        return Stub(path, None, "", f"cannot be read: {error.strerror}")
    except UnicodeDecodeError:
        return Stub(path, None, "", "is not UTF-8")
    except SyntaxError as error:
        return Stub(path, None, source, f"is no Python: {error.msg}", error.lineno)
    problem = None if function is not None else f"does not define `{spec.name}`"
    return Stub(path, function, source, problem)


def reference_of(exercise: Exercise, spec: FunctionSpec) -> Function | None:
    """The function of the reference solution, if this edition has one that can be read."""
    file = Path() if exercise.suite is None else exercise.suite / "reference" / spec.file
    try:
        return find(file.read_text("utf-8"), spec.name)
    except (OSError, UnicodeDecodeError, SyntaxError):
        return None


def find(source: str, name: str) -> Function | None:
    """The function of this name that counts: the last one at the top of the file."""
    found = [node for node in ast.parse(source).body if isinstance(node, Function) and node.name == name]
    return found[-1] if found else None


def parameters(function: Function) -> str:
    """The parameters with their defaults, without their types.

    >>> parameters(find("def f(a: int, /, b=1, *, c: str = 'd', **e) -> int: ...", "f"))
    "a, /, b=1, *, c='d', **e"
    """
    copy = deepcopy(function.args)
    for node in ast.walk(copy):
        if isinstance(node, ast.arg):
            node.annotation = None
    return ast.unparse(copy)

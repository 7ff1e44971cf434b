"""Whether an exercise gives a learner what they need: a stub of every function, and hints."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

from grader.course import Exercise, FunctionSpec
from grader.results import Finding

from .found import finding
from .suite import Stated, has_hint


def check_hints(criteria: Mapping[str, Stated]) -> Iterator[Finding]:
    """Each criterion has a hint; that each function has some, its manifest's schema says."""
    for criterion in criteria.values():
        if not has_hint(criterion):
            message = f"{criterion.id} has no hint for those who fail it"
            fix = 'Add hint="…" to its @criterion: one question that leads on, and not the code.'
            yield finding("hints", criterion.file, criterion.decorator, message, fix)


def check_stubs(exercise: Exercise, reference: Path) -> Iterator[Finding]:
    """The stubs are there, untouched, and take the parameters of the reference."""
    for name in exercise.files:
        stub, pristine = exercise.folder / name, exercise.pristine(name)
        missing = [file for file in (stub, pristine) if not file.is_file()]
        if missing:
            fix = "Write the stub, and keep the same file in .pristine/, from which course start and course reset copy."
            yield from (finding("stub", file, None, f"{name} is not there", fix) for file in missing)
            continue
        if stub.read_bytes() != pristine.read_bytes():
            function = next(each.name for each in exercise.functions if each.file == name)
            fix = f"Copy the right one of the two over the other, or: course reset exercises/{exercise.id} {function}"
            yield finding("stub", stub, None, f"{name} is not what .pristine/{name} is", fix)
        yield from _check_signatures(exercise, name, pristine, reference / name)


def _check_signatures(exercise: Exercise, name: str, stub: Path, reference: Path) -> Iterator[Finding]:
    try:
        stubs = definitions(stub)
    except SyntaxError as error:
        fix = "A learner begins with this file: it must be Python."
        yield finding("stub", stub, error.lineno, f"{name} cannot be read as Python: {error.msg}", fix)
        return
    try:
        models = definitions(reference)
    except (OSError, SyntaxError):
        return  # Grading the reference says so.
    for function in exercise.functions:
        if function.file == name and function.name in models:
            yield from _check_signature(function, stub, stubs.get(function.name), models[function.name])


def _check_signature(
    function: FunctionSpec, file: Path, stub: ast.FunctionDef | None, model: ast.FunctionDef
) -> Iterator[Finding]:
    if stub is None:
        fix = f"Define it there, as the reference does: {_head(model)}"
        yield finding("stub", file, None, f"{function.file} does not define {function.name}", fix)
    elif _head(stub) != _head(model):
        message = f"{function.name} has other parameters in the stub than in the reference: {_head(stub)}"
        yield finding("stub", file, stub.lineno, message, f"Make both the same. The reference has: {_head(model)}")


def definitions(file: Path) -> dict[str, ast.FunctionDef]:
    """The functions at the top of a Python file, by name."""
    return {node.name: node for node in ast.parse(file.read_bytes()).body if isinstance(node, ast.FunctionDef)}


def _head(function: ast.FunctionDef) -> str:
    returns = "" if function.returns is None else f" -> {ast.unparse(function.returns)}"
    return f"def {function.name}({ast.unparse(function.args)}){returns}"

"""A suite looked at as text: its modules and the criteria that they state. Nothing is executed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.authoring.criteria import criterion_id

STUDENT = "student"
SOLUTIONS = ("reference", "mutants")


@dataclass(frozen=True, slots=True)
class Module:
    """A Python file of a suite."""

    file: Path
    tree: ast.Module

    @property
    def functions(self) -> list[ast.FunctionDef]:
        """The functions and methods that are in no other function."""
        bodies = [self.tree.body, *(node.body for node in self.tree.body if isinstance(node, ast.ClassDef))]
        return [node for body in bodies for node in body if isinstance(node, ast.FunctionDef)]


@dataclass(frozen=True, slots=True)
class Stated:
    """A criterion as its suite states it: the test, and the decorator that makes it a criterion."""

    id: str
    function: str
    file: Path
    test: ast.FunctionDef
    decorator: ast.Call


def read_suite(folder: Path) -> list[Module]:
    """The files of a suite, but for its solutions. One that does not parse is left out: grading says what is wrong."""
    modules = []
    for file in sorted(folder.rglob("*.py")):
        if file.relative_to(folder).parts[0] in SOLUTIONS:
            continue
        try:
            modules.append(Module(file, ast.parse(file.read_bytes())))
        except (SyntaxError, ValueError):
            continue
    return modules


def criteria(modules: list[Module]) -> dict[str, Stated]:
    """Every criterion that modules state, by id."""
    stated = [one for module in modules for test in module.functions for one in _stated(module.file, test)]
    return {each.id: each for each in stated}


def _stated(file: Path, test: ast.FunctionDef) -> Iterator[Stated]:
    for decorator in test.decorator_list:
        match decorator:
            case ast.Call(func=ast.Name(id="criterion") | ast.Attribute(attr="criterion")):
                name = decorator.args[0] if decorator.args else _keyword(decorator, "function")
                if isinstance(name, ast.Constant) and isinstance(name.value, str):
                    yield Stated(criterion_id(name.value, test.name), name.value, file, test, decorator)


def _keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((keyword.value for keyword in call.keywords if keyword.arg == name), None)


def has_hint(criterion: Stated) -> bool:
    """Whether a criterion says what to think about when it fails."""
    match _keyword(criterion.decorator, "hint"):
        case None | ast.Constant(value=None):
            return False
        case ast.Constant(value=str(text)):
            return bool(text.strip())
        case _:
            return True


def parameters(function: ast.FunctionDef) -> list[ast.arg]:
    """The parameters of a function, which are the fixtures of a test."""
    return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]


def learner_function(node: ast.AST) -> str | None:
    """The ``f`` of ``student.f``; None if ``node`` is something else."""
    match node:
        case ast.Attribute(value=ast.Name(id="student"), attr=name):
            return name
        case _:
            return None


def learner_arguments(call: ast.Call) -> list[ast.expr] | None:
    """What a call passes to a function of the learner, once or once per rank; None if it calls none.

    >>> [ast.unparse(each) for each in learner_arguments(ast.parse("c.run(student.f, x, k=2)").body[0].value)]
    ['x', '2']
    """
    named = [keyword.value for keyword in call.keywords]
    if learner_function(call.func) is not None:
        return [*call.args, *named]
    for position, argument in enumerate(call.args):
        if learner_function(argument) is not None and runs_per_rank(call):
            return [*call.args[position + 1 :], *named]
    return None


def runs_per_rank(call: ast.Call) -> bool:
    """Whether a call is one of those that run a function once per rank."""
    return called(call) in ("run", "measured")


def called(call: ast.Call) -> str:
    """The last name of what is called: ``run`` for ``cluster.run(…)``."""
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""

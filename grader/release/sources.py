"""The source of a suite: its modules, what each statement of them binds and uses, and what cannot be followed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from grader.authoring.criteria import criterion_id
from grader.course import CourseError

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Import: TypeAlias = ast.Import | ast.ImportFrom

SOLUTIONS = ("mutants", "reference")
CONFTEST = "conftest"
# With these a statement can reach a name without naming it.
UNSEEN = frozenset(
    {"__file__", "__import__", "compile", "dir", "eval", "exec", "globals", "importlib", "locals", "open", "vars"}
)
_LINE_END = re.compile(r"\r\n?|\n")  # a form feed ends a line for str.splitlines, and none for Python
_FOLLOWED = (
    ast.AnnAssign, ast.Assign, ast.AsyncFunctionDef, ast.AugAssign, ast.ClassDef, ast.FunctionDef, ast.Import,
    ast.ImportFrom,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement at the top level of a module. ``first`` is its first line, with decorators and comments above."""

    node: ast.stmt
    first: int
    binds: tuple[str, ...]

    @property
    def last(self) -> int:
        return self.node.end_lineno or self.node.lineno

    @property
    def literals(self) -> Iterator[ast.Constant]:
        """The literals in it, docstrings among them."""
        return (each for each in ast.walk(self.node) if isinstance(each, ast.Constant))


@dataclass(frozen=True, slots=True)
class Module:
    """One file of a suite."""

    path: Path
    lines: tuple[str, ...]
    docstring: ast.Expr | None
    statements: tuple[Statement, ...]

    @property
    def name(self) -> str:
        return self.path.stem

    def binding(self, name: str) -> list[Statement]:
        """The statements that give ``name`` its value, or change it."""
        return [statement for statement in self.statements if name in statement.binds]

    @property
    def criteria(self) -> Iterator[tuple[str, Statement]]:
        """The criteria that it states, by id."""
        for statement in self.statements:
            for call in _decorators(statement.node):
                match call:
                    case ast.Call(func=ast.Name(id="criterion"), args=[ast.Constant(value=str(function)), *_]):
                        yield criterion_id(function, statement.binds[0]), statement

    @property
    def fixtures(self) -> Iterator[tuple[str, bool]]:
        """The names of its fixtures, and whether each is used without being asked for."""
        for statement in self.statements:
            for decorator in _decorators(statement.node):
                call = decorator if isinstance(decorator, ast.Call) else None
                if ast.unparse(call.func if call else decorator).rpartition(".")[2] == "fixture":
                    named = {word.arg: word.value for word in call.keywords} if call else {}
                    if "name" in named:
                        raise refusal("a fixture under another name cannot be followed", self.path, decorator)
                    yield statement.binds[0], "autouse" in named

    def error(self, message: str, node: ast.AST) -> CourseError:
        """Why the suite cannot be cut, at a place in this module."""
        return refusal(message, self.path, node)


def refusal(message: str, path: Path, node: ast.AST | None = None) -> CourseError:
    """Why a suite cannot be cut."""
    line, column = (None, None) if node is None else (getattr(node, "lineno", None), getattr(node, "col_offset", None))
    return CourseError(f"the suite cannot be released: {message}", path, line, None if column is None else column + 1)


def read_modules(folder: Path) -> dict[str, Module]:
    """The modules of the suite in ``folder``; CourseError if something there cannot be followed."""
    modules = {}
    for path in sorted(folder.iterdir()):
        if path.name in SOLUTIONS or path.name.startswith((".", "__pycache__")):
            continue
        if path.suffix != ".py" or not path.is_file():
            raise refusal("it must be Python files side by side; what a test reads beside them cannot be cut", path)
        modules[path.stem] = _read(path)
    for module in modules.values():
        _require_plain_imports(module, modules)
        _require_plain_criteria(module)
    return modules


def _read(path: Path) -> Module:
    source = path.read_text("utf-8")
    try:
        body = ast.parse(source, str(path)).body
    except SyntaxError as error:
        raise CourseError(f"SyntaxError: {error.msg}", path, error.lineno) from None
    lines = tuple(_LINE_END.split(source))
    docstring = None
    match body:
        case [ast.Expr(value=ast.Constant(value=str())) as found, *rest]:
            docstring, body = found, rest
    statements: list[Statement] = []
    for node in body:
        if not isinstance(node, _FOLLOWED):
            raise refusal("only definitions, imports and plain assignments at the top level can be cut", path, node)
        statement = Statement(node, _first_line(node, lines), tuple(_bound(node, path)))
        if statements and statements[-1].last >= statement.first:
            raise refusal("two statements on one line cannot be cut apart", path, node)
        statements.append(statement)
    return Module(path, lines, docstring, tuple(statements))


def _first_line(node: ast.stmt, lines: tuple[str, ...]) -> int:
    first = min([node.lineno, *(decorator.lineno for decorator in _decorators(node))])
    while first > 1 and lines[first - 2].startswith("#"):
        first -= 1
    return first


def _decorators(node: ast.stmt) -> list[ast.expr]:
    return node.decorator_list if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) else []


def _bound(node: ast.stmt, path: Path) -> Iterator[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in aliases)
        case ast.Assign(targets=targets):
            yield from _targets(targets, path)
        case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
            yield from _targets([target], path)


def _targets(targets: Iterable[ast.expr], path: Path) -> Iterator[str]:
    for target in targets:
        match target:
            case ast.Name(id=name):
                yield name
            case ast.Tuple(elts=inner) | ast.List(elts=inner):
                yield from _targets(inner, path)
            case _:
                raise refusal("only names can be assigned to at the top level", path, target)


def _require_plain_imports(module: Module, modules: Mapping[str, Module]) -> None:
    for statement in module.statements:
        match statement.node:
            case ast.ImportFrom(names=[ast.alias(name="*")]):
                raise module.error("`import *` does not say what it takes", statement.node)
            case ast.ImportFrom(level=level) if level:
                raise module.error("files of a suite find each other by name, without dots", statement.node)
            case ast.Import(names=aliases) if not {alias.name for alias in aliases}.isdisjoint(modules):
                raise module.error("write `from … import …`, which says what it takes", statement.node)


def _require_plain_criteria(module: Module) -> None:
    """``criterion`` may be used in one way only, so that none is overlooked."""
    plain = {id(call.func) for _, statement in module.criteria for call in _decorators(statement.node)
             if isinstance(call, ast.Call)}  # fmt: skip
    for statement in module.statements:
        for node in ast.walk(statement.node):
            match node:
                case ast.Name(id="criterion") if id(node) not in plain:
                    text = 'a criterion must be a function at the top level under `@criterion("FUNCTION", …)`'
                    raise module.error(text, node)

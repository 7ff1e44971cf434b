"""The part of a suite that learners may see: its visible criteria, and what they reach, as source text."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from grader.release.sources import CONFTEST, UNSEEN, Import, Module, Statement, read_modules, refusal
from grader.results import Planned

WIDTH = 120


@dataclass(frozen=True, slots=True)
class Hidden:
    """A statement that is left out, and the criterion or name that it is."""

    name: str
    path: Path
    statement: Statement


@dataclass(frozen=True, slots=True)
class Cut:
    """The visible part of a suite, by file name, with its criteria's ids, and the statements that it leaves out."""

    files: dict[str, str]
    visible: tuple[str, ...]
    kept: tuple[Statement, ...]
    hidden: tuple[Hidden, ...]


def cut(folder: Path, planned: Iterable[Planned]) -> Cut:
    """Cut the suite in ``folder``, whose criteria are ``planned``; CourseError where that is not safe."""
    modules = read_modules(folder)
    visibility = {criterion.id: criterion.visibility for criterion in planned}
    stated: dict[str, tuple[Module, Statement]] = {}
    for module in modules.values():
        for identity, statement in module.criteria:
            if identity in stated or identity not in visibility:
                raise module.error(f"{identity} is not stated once", statement.node)
            stated[identity] = module, statement
    for identity in sorted(visibility.keys() - stated.keys()):
        raise refusal(f"no function at the top level of its files states {identity}", folder)
    reach = _Reach(modules.values())
    for identity, (module, statement) in stated.items():
        if visibility[identity] == "visible":
            reach.follow(module, statement)
    for identity, (module, statement) in stated.items():
        if visibility[identity] != "visible" and reach.has(module, statement):
            raise module.error(f"what learners see uses {identity}, which is hidden", statement.node)
    named = {id(statement): identity for identity, (_, statement) in stated.items()}
    kept = [(module, each) for module in modules.values() for each in module.statements if reach.has(module, each)]
    return Cut(
        files={module.path.name: _text(module, reach) for module in dict(kept)},
        visible=tuple(identity for identity, word in visibility.items() if word == "visible"),
        kept=tuple(statement for _, statement in kept),
        hidden=tuple(
            Hidden(named.get(id(each), ", ".join(each.binds)), module.path, each)
            for module in modules.values()
            for each in module.statements
            if not isinstance(each.node, Import) and not reach.has(module, each)
        ),
    )


class _Reach:
    """What is reached by following names, from module to module."""

    def __init__(self, modules: Iterable[Module]) -> None:
        self._modules = {module.name: module for module in modules}
        self._fixtures = {name: dict(module.fixtures) for name, module in self._modules.items()}
        self._kept: set[int] = set()
        self._imported: set[tuple[str, str]] = set()
        if CONFTEST in self._modules:
            self._follow_always(self._modules[CONFTEST])

    def has(self, module: Module, statement: Statement) -> bool:
        """Whether a statement is reached, or something that it imports."""
        return id(statement) in self._kept or bool(self.imported(module, statement))

    def imported(self, module: Module, statement: Statement) -> list[ast.alias]:
        """What is reached of that which a statement imports."""
        if not isinstance(statement.node, Import):
            return []
        names = zip(statement.node.names, statement.binds, strict=True)
        future = isinstance(statement.node, ast.ImportFrom) and statement.node.module == "__future__"
        return [alias for alias, bound in names if future or (module.name, bound) in self._imported]

    def follow(self, module: Module, statement: Statement) -> None:
        """Reach a statement, and all that it uses."""
        if id(statement) in self._kept:
            return
        self._kept.add(id(statement))
        self._follow_always(module)
        for node in ast.walk(statement.node):
            match node:
                case ast.Name(id=name) if name in UNSEEN:
                    raise module.error(f"what `{name}` reaches cannot be followed", node)
                case ast.Name(id=name):
                    self._name(module, name)
                case ast.arg(arg=name) | ast.Constant(value=str(name)):
                    self._fixture(module, name)

    def _follow_always(self, module: Module) -> None:
        """Reach what pytest uses of a module without being asked."""
        autouse = {name for name, always in self._fixtures[module.name].items() if always}
        for statement in module.statements:
            for name in statement.binds:
                if name in autouse or name.startswith("pytest_") or name == "pytestmark":
                    self.follow(module, statement)

    def _name(self, module: Module, name: str) -> None:
        for statement in module.binding(name):
            if not isinstance(statement.node, Import):
                self.follow(module, statement)
            elif (module.name, name) not in self._imported:
                self._imported.add((module.name, name))
                if isinstance(statement.node, ast.ImportFrom) and statement.node.module in self._modules:
                    alias = statement.node.names[statement.binds.index(name)]
                    self._name(self._modules[statement.node.module], alias.name)

    def _fixture(self, module: Module, name: str) -> None:
        """Reach a fixture that is asked for, by a parameter or in a text."""
        for place in (module, self._modules.get(CONFTEST)):
            if place is not None and (name in self._fixtures[place.name] or self._imports(place, name)):
                self._name(place, name)
                return

    @staticmethod
    def _imports(module: Module, name: str) -> bool:
        return any(isinstance(statement.node, Import) for statement in module.binding(name))


def _text(module: Module, reach: _Reach) -> str:
    """What is left of a module."""
    parts = [] if module.docstring is None else ["\n".join(module.lines[: module.docstring.end_lineno])]
    blank = 0
    for statement in module.statements:
        blank = max(blank, _blank_above(module, statement))
        if not reach.has(module, statement):
            continue
        text = "\n".join(module.lines[statement.first - 1 : statement.last])
        if isinstance(statement.node, Import):
            kept = reach.imported(module, statement)
            text = text if len(kept) == len(statement.binds) else _import(statement.node, kept)
        parts.append("\n" * blank + text)
        blank = 0
    return "\n".join(parts) + "\n"


def _blank_above(module: Module, statement: Statement) -> int:
    """How many empty lines stand above a statement."""
    above = module.lines[: statement.first - 1]
    return next((count for count, line in enumerate(reversed(above)) if line.strip()), len(above))


def _import(node: Import, aliases: list[ast.alias]) -> str:
    """An import of some names, as a formatter would write it."""
    line = ast.unparse(ast.Import(aliases) if isinstance(node, ast.Import) else ast.ImportFrom(node.module, aliases, 0))
    if len(line) <= WIDTH:
        return line
    names = "".join(f"    {ast.unparse(alias)},\n" for alias in aliases)
    return f"from {getattr(node, 'module', '')} import (\n{names})"

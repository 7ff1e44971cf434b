"""The idioms of pytest that cannot cross the boundary: a learner's functions run in a process of their own."""

from __future__ import annotations

import ast
import builtins
import difflib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.authoring.trouble import BASES
from grader.results import Finding

from .found import finding
from .suite import STUDENT, Module, called, learner_arguments, learner_function, parameters, runs_per_rank

PRINTED = "what a learner's function prints or warns of, it does in another process"
CHANGED = "what it changes, it changes in this process, and a learner's function runs in another"
HIDDEN = "a learner's function sees no file of this process"
FIXTURES = {
    **dict.fromkeys(("capsys", "capsysbinary", "capfd", "capfdbinary", "caplog", "recwarn"), PRINTED),
    **dict.fromkeys(("monkeypatch", "mocker"), CHANGED),
    **dict.fromkeys(("tmp_path", "tmp_path_factory", "tmpdir", "tmpdir_factory"), HIDDEN),
}
MENDED = {
    PRINTED: "Judge what it returns; the report shows what it printed.",
    CHANGED: "Pass what should be different as an argument.",
    HIDDEN: "Pass the content instead of a path.",
}
# What of NumPy makes a host array of no array.
CREATORS = ("arange", "array", "asarray", "empty", "eye", "full", "linspace", "ones", "zeros")
CROSSES = (
    "What crosses: numbers, strings, None, lists, tuples, dicts, groups, values of the given files, and arrays of a "
    "device. A host array becomes one by device.array(…), or plain by .tolist()."
)
UNCROSSABLE = ("bytearray", "bytes", "complex", "frozenset", "iter", "object", "set")
TO_PLAIN = ("tolist", "item")


@dataclass(frozen=True, slots=True)
class Scope:
    """A function of a suite that is in no other, and what else must be known of the suite."""

    file: Path
    function: ast.FunctionDef
    functions: Sequence[str]
    own: Mapping[str, ast.AST]

    def walk(self) -> Iterator[ast.AST]:
        return ast.walk(self.function)

    def calls(self) -> Iterator[tuple[ast.Call, list[ast.expr]]]:
        """The calls of the learner's functions, each with what it passes."""
        for node in self.walk():
            if isinstance(node, ast.Call) and (arguments := learner_arguments(node)) is not None:
                yield node, arguments

    def finding(self, place: ast.expr | ast.stmt | ast.arg, message: str, fix: str) -> Finding:
        return finding("boundary", self.file, place, message, fix)


def check_boundary(modules: Sequence[Module], functions: Sequence[str], files: Sequence[str]) -> Iterator[Finding]:
    """Name each idiom with its line. ``functions`` and ``files`` are those that a learner writes."""
    for module in modules:
        yield from _imports(module, files)
        definitions = (node for node in ast.walk(module.tree) if isinstance(node, ast.FunctionDef | ast.ClassDef))
        own = {node.name: node for node in definitions}
        for function in module.functions:
            scope = Scope(module.file, function, functions, own)
            for idiom in IDIOMS:
                yield from idiom(scope)


def _imports(module: Module, files: Sequence[str]) -> Iterator[Finding]:
    """``from shard import shard``, ``from unittest import mock``."""
    for node in ast.walk(module.tree):
        match node:
            case ast.Import(names=names):
                imported = [name.name for name in names]
            case ast.ImportFrom(module=str(name), names=names, level=0):
                imported = [name, *(f"{name}.{each.name}" for each in names)]
            case _:
                continue
        for name in imported:
            if f"{name}.py" in files:
                message = f"{name} is a file of the learner's, and this process has none of their code"
                fix = "Take the fixture `student`: its functions are the learner's."
                yield finding("boundary", module.file, node, message, fix)
            elif name in ("mock", "unittest.mock"):
                yield finding("boundary", module.file, node, f"{name}: {CHANGED}", MENDED[CHANGED])


def _fixtures(scope: Scope) -> Iterator[Finding]:
    """``capsys``, ``monkeypatch``, ``tmp_path``."""
    for parameter in parameters(scope.function):
        reason = FIXTURES.get(parameter.arg)
        if reason is not None:
            yield scope.finding(parameter, f"{parameter.arg}: {reason}", MENDED[reason])


def _attributes(scope: Scope) -> Iterator[Finding]:
    """``student.MyError``, ``student.shard.__doc__``."""
    for node in scope.walk():
        if not isinstance(node, ast.Attribute):
            continue
        name, of = learner_function(node), learner_function(node.value)
        if name is not None and name not in scope.functions:
            near = difflib.get_close_matches(name, scope.functions, 1)
            fix = f"Did you mean student.{near[0]}?" if near else "Judge by what the functions return and raise."
            yield scope.finding(node, f"student.{name}: the functions of the manifest are all that can be reached", fix)
        elif of is not None:
            message = f"student.{of}.{node.attr}: a function can be called, and no more is known of it here"
            yield scope.finding(node, message, "Judge by what it returns and raises.")


def _inspection(scope: Scope) -> Iterator[Finding]:
    """``inspect.getsource(student.shard)``."""
    for node in scope.walk():
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="inspect" | "dis")), args=[first, *_]) if (
                name := learner_function(first)
            ):
                message = f"{ast.unparse(node.func)}: the source of student.{name} is in another process"
                yield scope.finding(node, message, "Judge by what it returns, raises, allocates and sends.")


def _arguments(scope: Scope) -> Iterator[Finding]:
    """``student.apply(lambda x: x)``, ``student.total(np.arange(3))``."""
    values = _assigned_once(scope.function)
    for _, arguments in scope.calls():
        for argument in arguments:
            for part in _parts(argument):
                value = values.get(part.id, part) if isinstance(part, ast.Name) else part
                what = _uncrossable(value, scope.own)
                if what is not None:
                    yield scope.finding(part, f"{what} cannot be passed to a learner's function", CROSSES)


def _parts(argument: ast.expr) -> Iterator[ast.expr]:
    match argument:
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            pass
        case ast.Dict(values=parts):
            pass
        case ast.Call(args=parts) if called(argument) == "per_rank":
            pass
        case _:
            yield argument
            return
    for part in parts:
        yield from _parts(part)


def _uncrossable(value: ast.expr, own: Mapping[str, ast.AST]) -> str | None:
    """What a value is that cannot cross, so far as its text shows; None if it may."""
    match value:
        case ast.Lambda():
            return "a lambda"
        case ast.GeneratorExp():
            return "a generator"
        case ast.Set() | ast.SetComp():
            return "a set"
        case ast.Constant(value=bytes() | complex()):
            return f"a value of type {type(value.value).__name__}"
        case ast.Name(id=name) if name in own:
            return f"{name}, which is code of the suite,"
        case ast.Call(func=ast.Name(id=name)) if name in UNCROSSABLE or isinstance(own.get(name), ast.ClassDef):
            return f"a value of type {name}"
        case ast.Call() if _creates_host_array(value):
            return "a host array"
        case _:
            return None


def _creates_host_array(value: ast.expr) -> bool:
    """``np.arange(12.0)``, ``np.arange(12.0).reshape(4, 3)``."""
    match value:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="np" | "numpy"), attr=name)):
            return name in CREATORS
        case ast.Call(func=ast.Attribute(value=base, attr=name)):
            return name not in TO_PLAIN and _creates_host_array(base)
        case _:
            return False


def _assigned_once(function: ast.FunctionDef) -> dict[str, ast.expr]:
    """The names that a function gives one value, with that value."""
    stored: list[str] = []
    values: dict[str, ast.expr] = {}
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                values[name] = value
            case ast.Name(id=name, ctx=ast.Store()):
                stored.append(name)
    return {name: value for name, value in values.items() if stored.count(name) == 1}


def _raises(scope: Scope) -> Iterator[Finding]:
    """``with pytest.raises(OSError): student.shard(…)``."""
    for node in scope.walk():
        if not isinstance(node, ast.With) or not _mentions(node.body, STUDENT):
            continue
        for call in (item.context_expr for item in node.items):
            if isinstance(call, ast.Call) and called(call) == "raises" and call.args:
                names = call.args[0].elts if isinstance(call.args[0], ast.Tuple) else [call.args[0]]
                for name in names:
                    if isinstance(name, ast.Name) and not _crosses(name.id, scope.own):
                        message = f"{name.id} does not cross: what a learner's function raises comes as another class"
                        fix = f"What crosses: {', '.join(sorted(BASES))}, and the errors of grader.devices."
                        yield scope.finding(name, message, fix)


def _crosses(error: str, own: Collection[str]) -> bool:
    if error in own:
        return False
    return error in BASES or error in ("Exception", "BaseException") or not hasattr(builtins, error)


def _mentions(nodes: Sequence[ast.stmt], name: str) -> bool:
    return any(isinstance(each, ast.Name) and each.id == name for node in nodes for each in ast.walk(node))


def _identity(scope: Scope) -> Iterator[Finding]:
    """``student.shard(x) is x``."""
    values = _assigned_once(scope.function)
    for node in scope.walk():
        match node:
            case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot()], comparators=[right]):
                for one, other in ((left, right), (right, left)):
                    call = values.get(one.id, one) if isinstance(one, ast.Name) else one
                    passed = learner_arguments(call) if isinstance(call, ast.Call) else None
                    if isinstance(other, ast.Name) and any(ast.unparse(each) == other.id for each in passed or ()):
                        message = f"identity does not cross: what comes back is never the object {other.id} itself"
                        fix = "Compare values; for arrays of a device, their `storage`."
                        yield scope.finding(node, message, fix)


def _ranks(scope: Scope) -> Iterator[Finding]:
    """``cluster.run(lambda: student.shard(…))``."""
    inner = {node.name: node for node in scope.walk() if isinstance(node, ast.FunctionDef) and node != scope.function}
    for node in scope.walk():
        if not isinstance(node, ast.Call) or not runs_per_rank(node):
            continue
        for argument in node.args[:2]:
            local = inner.get(argument.id) if isinstance(argument, ast.Name) else argument
            if isinstance(local, ast.FunctionDef | ast.Lambda):
                for each in ast.walk(local):
                    if isinstance(each, ast.Call) and (name := learner_function(each.func)):
                        message = f"student.{name} is called inside a function that runs per rank"
                        fix = f"Pass it itself: cluster.run(student.{name}, …), one run for each step."
                        yield scope.finding(each, message, fix)


def _changes(scope: Scope) -> Iterator[Finding]:
    """``student.sort(values)``, and then a look at ``values``."""
    for node in scope.walk():
        match node:
            case ast.Expr(value=ast.Call(func=function, args=arguments)) if name := learner_function(function):
                passed = {each.id for each in arguments if isinstance(each, ast.Name)}
                looked = passed & _compared_after(scope.function, node.lineno)
                for changed in sorted(looked):
                    message = f"what student.{name} does to {changed} does not come back: it gets a copy"
                    yield scope.finding(node, message, "Judge what it returns; arrays of a device are shared.")


def _compared_after(function: ast.FunctionDef, line: int) -> set[str]:
    later = [node for node in ast.walk(function) if isinstance(node, ast.Compare) and node.lineno > line]
    return {each.id for node in later for each in (node.left, *node.comparators) if isinstance(each, ast.Name)}


IDIOMS: tuple[Callable[[Scope], Iterator[Finding]], ...] = (
    _fixtures,
    _attributes,
    _inspection,
    _arguments,
    _raises,
    _identity,
    _ranks,
    _changes,
)

"""Whether a criterion judges the learner's function at all, and by something else than that function itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from grader.results import Finding

from .found import finding
from .suite import STUDENT, Module, Stated, called, learner_arguments, parameters

# Functions that compare their first two arguments.
COMPARING = (
    "allclose",
    "array_equal",
    "array_equiv",
    "assert_allclose",
    "assert_array_almost_equal",
    "assert_array_equal",
    "assert_equal",
    "isclose",
)


def check_calls(criteria: Mapping[str, Stated], modules: Sequence[Module]) -> Iterator[Finding]:
    """Each criterion has the learner's functions, from the fixture ``student`` or from one that takes it."""
    fixtures = {each.name: {one.arg for one in parameters(each)} for module in modules for each in module.functions}
    for criterion in criteria.values():
        if not _reaches_student(criterion.test, fixtures):
            message = f"{criterion.id} never calls a function of the learner's"
            fix = f"Take the fixture `student`, and judge what student.{criterion.function}(…) does."
            yield finding("calls", criterion.file, criterion.test.lineno, message, fix)


def _reaches_student(test: ast.FunctionDef, fixtures: Mapping[str, set[str]]) -> bool:
    if any(isinstance(node, ast.Name) and node.id == STUDENT for node in ast.walk(test)):
        return True
    seen: set[str] = set()
    wanted = {each.arg for each in parameters(test)} - {STUDENT}
    while wanted:
        seen |= wanted
        wanted = {name for fixture in wanted for name in fixtures.get(fixture, ())} - seen
    return STUDENT in seen


def check_comparisons(criteria: Mapping[str, Stated]) -> Iterator[Finding]:
    """No criterion rests on comparisons of what the learner's functions return with what they return."""
    for criterion in criteria.values():
        evidence = _Evidence()
        for statement in criterion.test.body:
            evidence.visit(statement)
        if evidence.with_itself and not evidence.other:
            message = f"{criterion.id} compares what the learner's functions return with what they return"
            fix = "Hold one side against a value that the suite knows: a constant, or computed without `student`."
            yield finding("compares", criterion.file, evidence.with_itself[0], message, fix)


class _Evidence(ast.NodeVisitor):
    """What a test rests on. When in doubt, it is something ``other`` than the learner's function itself."""

    def __init__(self) -> None:
        self.with_itself: list[ast.expr] = []
        self.other = False
        self._learners: set[str] = set()

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self._bind(target, node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._bind(node.target, node.value)

    def visit_For(self, node: ast.For) -> None:
        self._bind(node.target, node.iter)
        for statement in (*node.body, *node.orelse):
            self.visit(statement)

    def visit_Assert(self, node: ast.Assert) -> None:
        self._judge(node.test)

    def visit_If(self, node: ast.If) -> None:
        self._judge(node.test)
        for statement in (*node.body, *node.orelse):
            self.visit(statement)

    def visit_With(self, node: ast.With) -> None:
        self.other = True  # pytest.raises, or something as good

    def visit_Expr(self, node: ast.Expr) -> None:
        match node.value:
            case ast.Call() as call if learner_arguments(call) is None:
                self._judge(call)

    def _judge(self, test: ast.expr) -> None:
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                self._judge(operand)
            case ast.BoolOp(values=values):
                for value in values:
                    self._judge(value)
            case ast.Call(func=ast.Name(id="any" | "all"), args=[ast.GeneratorExp() as each]):
                for generator in each.generators:
                    self._bind(generator.target, generator.iter)
                self._judge(each.elt)
            case ast.Compare(left=left, comparators=comparators):
                self._compare(test, [left, *comparators])
            case ast.Call(args=[left, right, *_]) if called(test) in COMPARING:
                self._compare(test, [left, right])
            case _:
                self.other = True

    def _compare(self, place: ast.expr, sides: Sequence[ast.expr]) -> None:
        if all(map(self._is_learners, sides)):
            self.with_itself.append(place)
        else:
            self.other = True

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        learners = self._is_learners(value)
        for name in (node.id for node in ast.walk(target) if isinstance(node, ast.Name)):
            (self._learners.add if learners else self._learners.discard)(name)

    def _is_learners(self, value: ast.expr) -> bool:
        """Whether nothing but a learner's function made a value, whatever that function was given."""
        match value:
            case ast.Name(id=name):
                return name in self._learners
            case ast.Attribute(value=base) | ast.Subscript(value=base) | ast.Starred(value=base):
                return self._is_learners(base)
            case ast.Call(func=function, args=arguments):
                if learner_arguments(value) is not None:
                    # What `measured` gives is counted by the cluster.
                    return called(value) != "measured"
                if isinstance(function, ast.Attribute) and self._is_learners(function.value):
                    return True
                return bool(arguments) and all(map(self._is_learners, arguments))
            case ast.Tuple(elts=values) | ast.List(elts=values):
                return bool(values) and all(map(self._is_learners, values))
            case ast.BinOp(left=left, right=right):
                return self._is_learners(left) and self._is_learners(right)
            case (
                ast.ListComp(elt=element, generators=generators) | ast.GeneratorExp(elt=element, generators=generators)
            ):
                for generator in generators:
                    self._bind(generator.target, generator.iter)
                return self._is_learners(element)
            case _:
                return False

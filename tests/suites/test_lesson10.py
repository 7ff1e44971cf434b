"""Lesson 10's suite, proven by what it grades: what it must accept, what it must catch, and what earns nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import pytest

from grader.course import Course
from grader.results import Grade
from grader.runner import Grader, Submission, read_submission

ROOT = Path(__file__).parents[2]
EXERCISE = Course.find(ROOT).exercise("lesson10")
SUITE = ROOT / "grader" / "suites" / "lesson10"
REFERENCE = read_submission(SUITE / "reference", EXERCISE)
STUBS = read_submission(EXERCISE.folder, EXERCISE)
MUTANTS = sorted(folder for folder in (SUITE / "mutants").iterdir() if folder.is_dir())
DESIGNS = sorted(folder for folder in (Path(__file__).parent / "lesson10" / "designs").iterdir() if folder.is_dir())
FUNCTIONS = [function.name for function in EXERCISE.functions]
NOTHING = {"pass": "pass", "none": "return None", "first argument": "return {first}"}


def folder_name(folder: Path) -> str:
    return folder.name


def overlaid(folder: Path) -> Submission:
    """The reference with the files of ``folder`` in the place of its own."""
    changed = {path.name: path.read_bytes() for path in python_files(folder)}
    return replace(REFERENCE, files={**REFERENCE.files, **changed})


def python_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.py"))


def caught_by(mutant: Path) -> list[str]:
    """The criteria that must catch a mutant, from the header of its first file."""
    header = re.match(r"# caught by: (.+)\n# defect: \S.+\n\n", python_files(mutant)[0].read_text())
    assert header is not None, f"{mutant.name} does not begin with '# caught by:' and '# defect:' and an empty line"
    return header[1].split(", ")


def functions_of(criteria: list[str]) -> set[str]:
    return {identity.partition("-")[0] for identity in criteria}


def definition(folder: Path, function: str) -> ast.FunctionDef:
    """How ``folder`` defines a function of the exercise."""
    tree = ast.parse((folder / f"{function}.py").read_text())
    (found,) = (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == function)
    return found


@pytest.fixture(scope="module")
def grader() -> Iterator[Grader]:
    with Grader(EXERCISE) as grader:
        yield grader


@pytest.fixture(scope="module")
def mutant_grades(request: pytest.FixtureRequest) -> Iterator[Mapping[str, Future[Grade]]]:
    """Grades of the mutants that this session asks for, made by two graders side by side."""
    asked = {item.name.partition("[")[2].rstrip("]") for item in request.session.items}
    with (
        Grader(EXERCISE) as one,
        Grader(EXERCISE) as other,
        ThreadPoolExecutor(1) as first,
        ThreadPoolExecutor(1) as second,
    ):
        lanes = zip((mutant for mutant in MUTANTS if mutant.name in asked), cycle(((one, first), (other, second))))
        yield {
            mutant.name: lane.submit(grader.grade, overlaid(mutant), only=functions_of(caught_by(mutant)))
            for mutant, (grader, lane) in lanes
        }


@pytest.fixture(scope="module")
def perfect(grader: Grader) -> Grade:
    return grader.grade(REFERENCE)


def test_the_reference_earns_everything(perfect: Grade) -> None:
    assert {each.id: each.message for each in perfect.criteria if each.status != "passed"} == {}
    assert perfect.earned == perfect.points == 100
    assert len(perfect.criteria) >= 40


@pytest.mark.parametrize("design", DESIGNS, ids=folder_name)
def test_a_right_design_earns_everything(grader: Grader, design: Path) -> None:
    grade = grader.grade(overlaid(design))
    assert {each.id: each.message for each in grade.criteria if each.status != "passed"} == {}
    assert grade.complete


def test_untouched_stubs_earn_nothing_and_crash_nothing(grader: Grader, perfect: Grade) -> None:
    grade = grader.grade(STUBS)
    assert grade.earned == 0
    assert {each.status for each in grade.criteria} <= {"todo", "blocked"}
    assert all(function.statuses["todo"] for function in grade.functions)
    assert [each.id for each in grade.criteria] == [each.id for each in perfect.criteria]


@pytest.mark.parametrize("body", NOTHING.values(), ids=list(NOTHING))
@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_body_that_does_nothing_earns_nothing(grader: Grader, function: str, body: str) -> None:
    first = definition(EXERCISE.folder, function).args.args[0].arg
    stub = STUBS.files[f"{function}.py"].decode()
    idle = stub.replace("raise NotImplementedError", body.format(first=first))
    assert idle != stub
    submission = replace(REFERENCE, files={**REFERENCE.files, f"{function}.py": idle.encode()})
    grade = grader.grade(submission, only=[function])
    assert [each.id for each in grade.criteria if each.earned] == []


@pytest.mark.parametrize("mutant", MUTANTS, ids=folder_name)
def test_a_mutant_is_caught_where_its_header_says(mutant_grades: Mapping[str, Future[Grade]], mutant: Path) -> None:
    found = {each.id: (each.status, each.message) for each in mutant_grades[mutant.name].result().criteria}
    assert {identity: found[identity] for identity in caught_by(mutant) if found[identity][0] != "failed"} == {}


def test_every_criterion_catches_a_mutant(perfect: Grade) -> None:
    named = {identity for mutant in MUTANTS for identity in caught_by(mutant)}
    assert named == {each.id for each in perfect.criteria}


@pytest.mark.parametrize("mutant", MUTANTS, ids=folder_name)
def test_a_mutant_holds_only_what_differs(mutant: Path) -> None:
    for path in mutant.iterdir():
        assert path.read_bytes() != REFERENCE.files[path.name]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_stub_has_the_signature_of_the_reference(function: str) -> None:
    stub, reference = (definition(folder, function) for folder in (EXERCISE.folder, SUITE / "reference"))
    assert ast.unparse(stub.args) == ast.unparse(reference.args)
    assert ast.dump(stub.returns or ast.Pass()) == ast.dump(reference.returns or ast.Pass())


@pytest.mark.parametrize("file", EXERCISE.files)
def test_a_stub_equals_its_untouched_copy(file: str) -> None:
    assert EXERCISE.pristine(file).read_bytes() == STUBS.files[file]


def test_points_in_the_manifest_are_the_sums_of_the_criteria(perfect: Grade) -> None:
    sums = {name: sum(each.points for each in perfect.criteria if each.function == name) for name in FUNCTIONS}
    assert sums == {function.name: function.points for function in EXERCISE.functions}

"""The report as JUnit's XML, read by a library that reads it."""

from __future__ import annotations

from collections import Counter
from xml.etree import ElementTree

import pytest
from hypothesis import given
from junitparser import Error, Failure, JUnitXml, Skipped

from grader.results import Grade
from tests.report.grades import NAMES, TEXTS, load, rendered, written

STATUS = {"passed": None, "failed": Failure, "timeout": Failure, "error": Error, "blocked": Skipped, "todo": Skipped}
RESULT = (set(), {"type", "message"})
# What Jenkins' schema has of what there may be inside of each element, and of its attributes.
ELEMENTS: dict[str, tuple[set[str], set[str]]] = {
    "testsuites": ({"testsuite"}, {"name", "time", "tests", "failures", "errors"}),
    "testsuite": ({"testcase"}, {"name", "time", "tests", "failures", "errors", "skipped"}),
    "testcase": ({"failure", "error", "skipped"}, {"name", "time", "classname"}),
    "failure": RESULT,
    "error": RESULT,
    "skipped": RESULT,
}


def read(grade: Grade) -> JUnitXml:
    report = rendered(grade, "junit")
    for element in ElementTree.fromstring(report.encode()).iter():
        children, attributes = ELEMENTS[element.tag]
        assert {child.tag for child in element} <= children
        assert set(element.attrib) <= attributes
    return JUnitXml.fromstring(report.encode())


@pytest.mark.parametrize("name", NAMES)
def test_a_suite_for_each_function_and_a_case_for_each_criterion(name: str) -> None:
    grade = load(name)
    found = read(grade)
    functions = [suite for suite in found if suite.name != "not all"]
    assert [suite.name for suite in functions] == [function.name for function in grade.functions]
    cases = {case.name.partition(":")[0]: case for suite in functions for case in suite}
    assert len(cases) == len(grade.criteria)
    for criterion in grade.criteria:
        case = cases[criterion.id]
        assert case.classname == f"{grade.exercise}.{criterion.function}"
        assert [type(result) for result in case.result] == [kind for kind in [STATUS[criterion.status]] if kind]
        assert case.time == pytest.approx(criterion.seconds, abs=0.001)


@pytest.mark.parametrize("name", NAMES)
def test_the_numbers_are_those_of_the_cases(name: str) -> None:
    found = read(load(name))
    for suite in found:
        kinds = Counter(type(result) for case in suite for result in case.result)
        assert suite.tests == len(list(suite))
        assert (suite.failures, suite.errors, suite.skipped) == (kinds[Failure], kinds[Error], kinds[Skipped])
    assert found.tests == sum(suite.tests for suite in found)
    assert found.failures == sum(suite.failures for suite in found)
    assert found.errors == sum(suite.errors for suite in found)


@pytest.mark.parametrize("name", ["elsewhere", "hidden-passed", "only"])
def test_a_grade_that_is_not_the_whole_has_something_skipped(name: str) -> None:
    assert [case.is_skipped for suite in read(load(name)) if suite.name == "not all" for case in suite] == [True]


def test_full_marks_have_nothing_skipped() -> None:
    assert {suite.skipped for suite in read(load("full-marks"))} == {0}


def test_a_failure_has_what_the_report_for_people_has() -> None:
    (gather,) = [suite for suite in read(load("mixed")) if suite.name == "gather"]
    (failure,) = [result for case in gather for result in case.result if isinstance(result, Failure)]
    assert failure.message == "The ranks pass different shapes to one all-gather."
    assert failure.type == "failed"
    assert "all_gather_into_tensor   (0, 3)   float32   gather.py:12" in failure.text


@given(TEXTS)
def test_any_text_of_a_learner_gives_xml(text: str) -> None:
    assert [len(list(suite)) for suite in read(written(text))] == [len(list(suite)) for suite in read(written("x"))]

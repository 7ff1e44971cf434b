"""The report for Gradescope, against a schema written after its documentation."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator

from grader.results import Grade
from tests.report.grades import NAMES, TEXTS, load, rendered, written

SCHEMA = json.loads((Path(__file__).parents[1] / "cases" / "schemas" / "gradescope-results.json").read_text("utf-8"))


def results(grade: Grade) -> Any:
    found = json.loads(rendered(grade, "gradescope"), parse_float=Decimal)
    Draft202012Validator(SCHEMA).validate(found)
    return found


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", NAMES)
def test_a_test_for_each_criterion_with_its_points_and_visibility(name: str) -> None:
    grade = load(name)
    found = results(grade)
    assert len(found["tests"]) == len(grade.criteria)
    for test, criterion in zip(found["tests"], grade.criteria, strict=True):
        assert test["name"] == f"{criterion.function}: {criterion.title}"
        assert test["visibility"] == criterion.visibility
        assert (test["status"] == "passed") == (criterion.status == "passed")
        assert {test["name_format"], test["output_format"], found["output_format"]} == {"text"}
        if not grade.faulty:
            assert (test["score"], test["max_score"]) == (criterion.earned, criterion.points)
    if not grade.faulty:
        assert found["score"] == grade.earned


def test_no_score_is_said_where_gradescope_wants_a_number() -> None:
    found = results(load("suite-error"))
    assert found["score"] == 0
    assert "there is no score" in found["output"]
    assert "the 0 stands for no score" in found["output"]
    assert not [test for test in found["tests"] if "score" in test or "max_score" in test]


def test_what_is_always_shown_tells_nothing_of_what_is_not_yet() -> None:
    grade = load("hidden-failed")
    passed = tuple(replace(criterion, status="passed", earned=criterion.points) for criterion in grade.criteria)
    failed, fine = results(grade), results(replace(grade, criteria=passed, next=None))
    assert failed["output"] == fine["output"]
    assert "Hidden criteria: 2" in failed["output"]
    assert failed["stdout_visibility"] == "hidden"


def test_the_next_step_is_one_that_can_be_seen() -> None:
    assert "\nNext: fix gather" in results(load("mixed"))["output"]


def test_what_was_not_run_says_why() -> None:
    outputs = {test["extra_data"]["id"]: test["output"] for test in results(load("timeout"))["tests"]}
    assert outputs["gather-uneven"] == "Not run: it needs gather-even."
    assert "Stopped after 5 s" in outputs["gather-even"]
    assert outputs["shard-even"] == ""


@given(TEXTS)
def test_any_text_of_a_learner_gives_results_that_can_be_read(text: str) -> None:
    results(written(text))

"""The report for machines, over the example grades in tests/cases/reports."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import grader.report
from grader.report import render
from grader.results import Grade, Place, RankRow, RankTable, grade_from_plain

CASES = Path(__file__).parents[1] / "cases" / "reports"
NAMES = sorted(file.stem for file in CASES.glob("*.json"))
SCHEMA = json.loads((Path(grader.report.__file__).parent / "schemas" / "report.json").read_text("utf-8"))


def plain(name: str) -> Any:
    return json.loads((CASES / f"{name}.json").read_text("utf-8"))


def load(name: str) -> Grade:
    return grade_from_plain(plain(name))


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", NAMES)
def test_every_report_keeps_to_the_schema(name: str) -> None:
    validator = Draft202012Validator(SCHEMA)
    validator.validate(plain(name))
    validator.validate(json.loads(render(load(name), "json")))


# What is left out of a report is tried below.
WHOLE = [name for name in NAMES if "hidden" not in name and name not in ("hostile", "suite-error")]


@pytest.mark.parametrize("name", WHOLE)
def test_a_report_reads_back_as_the_grade(name: str) -> None:
    assert grade_from_plain(json.loads(render(load(name), "json"))) == load(name)


@pytest.mark.parametrize("name", NAMES)
def test_a_report_is_utf_8_without_anything_that_acts_on_a_terminal(name: str) -> None:
    report = render(load(name), "json")
    report.encode("utf-8")
    assert all(character.isprintable() or character == "\n" for character in report)


def test_readable_text_stays_readable() -> None:
    assert "Größe ≠ 梯度" in render(load("hostile"), "json")


def test_points_are_exact() -> None:
    report = render(load("fractions"), "json")
    assert '"points": 0.433,\n  "earned": 0.333,' in report
    assert '"points": 8,\n  "earned": 8,' in render(load("full-marks"), "json")


def test_a_broken_suite_gives_no_score() -> None:
    report = json.loads(render(load("suite-error"), "json"))
    assert report["earned"] is None
    assert {function["earned"] for function in report["functions"]} == {None}


def test_hidden_criteria_show_no_values() -> None:
    report = render(load("hidden-failed"), "json")
    assert "SECRET" not in report
    assert "gather-secret" in report


def test_long_output_says_how_much_is_left_out() -> None:
    outputs = [each["output"] or "" for each in json.loads(render(load("hostile"), "json"))["criteria"]]
    assert any("\n... 1,984 lines left out ...\n" in each for each in outputs)


@pytest.mark.parametrize("name", ["message", "call", "expected", "actual", "hint", "output", "file", "source", "rows"])
def test_no_text_is_without_end(name: str) -> None:
    long = "x" * 100_000
    grade = load("details")
    first = replace(grade.criteria[0], visibility="visible", status="failed")
    match name:
        case "file" | "source":
            first = replace(first, where=replace(Place("a.py", 1), **{name: long}))
        case "rows":
            first = replace(first, detail=RankTable((RankRow(0, long, None, long, Place(long, 1, long)),)))
        case _:
            first = replace(first, **{name: long})
    report = render(replace(grade, criteria=(first, *grade.criteria[1:])), "json")
    assert len(report) < 20_000
    assert "99,700 characters left out" in report


def test_short_texts_are_whole() -> None:
    grade = load("details")
    output = "\n".join("x" * 400 for _ in range(12)) + "\n"
    first = replace(grade.criteria[0], visibility="visible", status="failed", output=output)
    assert json.loads(render(replace(grade, criteria=(first,)), "json"))["criteria"][0]["output"] == output

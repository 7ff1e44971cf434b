"""The reports of a submission that could not be graded: they say why, and nothing that acts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import grader.report
from grader.report import render_ungraded
from grader.results import Ungraded

SCHEMA = json.loads((Path(grader.report.__file__).parent / "schemas" / "ungraded.json").read_text("utf-8"))
REASONS = ["work.zip is cut off", "<script>alert(1)</script>.zip holds a link", "\x1b[2J\u202e is no name", "x" * 9000]


@pytest.mark.parametrize("reason", REASONS, ids=["plain", "markup", "control", "long"])
def test_the_json_keeps_to_its_schema_and_acts_on_no_terminal(reason: str) -> None:
    Draft202012Validator.check_schema(SCHEMA)
    report = render_ungraded(Ungraded("lesson10", "Shard", "ada", reason), "json")
    plain = json.loads(report)
    Draft202012Validator(SCHEMA).validate(plain)
    assert (plain["exercise"], plain["id"]) == ("lesson10", "ada")
    assert plain["reason"] == reason or (len(reason) > 5000 and "left out" in plain["reason"])
    assert all(character.isprintable() or character == "\n" for character in report)


@pytest.mark.parametrize("reason", REASONS, ids=["plain", "markup", "control", "long"])
def test_the_page_says_why_and_runs_nothing(reason: str) -> None:
    page = render_ungraded(Ungraded("lesson10", "Shard", "ada", reason), "html")
    assert page.startswith("<!DOCTYPE html>")
    assert "not graded" in page
    assert "<script" not in page
    assert all(character.isprintable() or character == "\n" for character in page)
    assert (reason in page) == (reason == REASONS[0])

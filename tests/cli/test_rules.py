"""``course rules`` and ``course schema``: what content is held to."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from grader.course.source import SCHEMAS
from grader.rules import rules


def test_all_rules_are_listed_by_group(run: Any) -> None:
    result = run("rules")
    assert result.code == 0
    lines = result.out.splitlines()
    assert "ignores" in lines
    listed = [line.split()[0] for line in lines if line.startswith("  ")]
    assert sorted(listed) == sorted(rules())


@pytest.mark.parametrize("id", rules())
def test_a_rule_is_explained(run: Any, id: str) -> None:
    result = run("rules", id)
    rule = rules()[id]
    assert result.out.startswith(f"{id} ({rule.severity}): {rule.title}\n")
    said = " ".join(result.out.split())
    assert all(" ".join(text.split()) in said for text in (rule.why, rule.good, rule.bad, rule.fix, rule.file))
    assert json.loads(run("rules", id, "--format", "json").out)[0]["id"] == id


def test_rules_for_machines(run: Any) -> None:
    assert [each["id"] for each in json.loads(run("rules", "--format", "json").out)] == list(rules())


def test_an_unknown_rule_has_a_neighbour(run: Any) -> None:
    result = run("rules", "ignore-raeson")
    assert result.code == 2
    assert "no rule is called 'ignore-raeson'. Did you mean ignore-reason?" in result.err


@pytest.mark.parametrize("kind", [file.stem for file in SCHEMAS.glob("*.json")])
def test_a_schema_is_printed_as_it_is(run: Any, kind: str) -> None:
    result = run("schema", kind)
    assert result.out == (SCHEMAS / f"{kind}.json").read_text("utf-8")
    Draft202012Validator.check_schema(json.loads(result.out))


def test_an_unknown_schema_is_wrong_usage(run: Any) -> None:
    assert run("schema", "mission").code == 2

"""Every rule explains itself by an example, which is tried in a small course in which everything is right."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from grader.results import Finding
from grader.rules import Rule, rules
from tests.rules.checking import SMALL, findings

# What cannot be wrong alone: where all is right there is nothing to ignore, and heads are written from the data.
ALSO = {
    "ignore-reason": {"ignore-unused"},
    "form-template": {"report-link"},
    "form-unique": {"form-place"},
    "lesson-order": {"lesson-title"},
    "prerequisite-cycle": {"head-list"},
}


CLONED = '[core]\n\tbare = false\n[remote "origin"]\n\turl = git@example.org:calendar.git\n'


@pytest.fixture(scope="module")
def in_the_right_course() -> tuple[Finding, ...]:
    return findings(SMALL)


def test_nothing_is_found_in_the_right_course(in_the_right_course: tuple[Finding, ...]) -> None:
    assert in_the_right_course == ()


@pytest.mark.parametrize("rule", rules().values(), ids=rules())
def test_the_bad_example_is_found_where_the_good_one_stood(rule: Rule[Any], tmp_path: Path) -> None:
    root = tmp_path / "course"
    shutil.copytree(SMALL, root)
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text(CLONED, "utf-8")
    file = root / rule.file
    content = file.read_text("utf-8")
    assert content.count(rule.good) == 1
    file.write_text(content.replace(rule.good, rule.bad), "utf-8")
    found = findings(root)
    assert {finding.rule for finding in found} == {rule.id} | ALSO.get(rule.id, set())
    for finding in found:
        if finding.rule == rule.id:
            assert finding.path in (rule.file, "course.yml")
            assert finding.severity == rule.severity
            assert finding.message


@pytest.mark.parametrize("rule", rules().values(), ids=rules())
def test_a_rule_explains_itself(rule: Rule[Any]) -> None:
    assert type(rule).__doc__
    for sentence in (rule.why, rule.fix):
        assert sentence[0].isupper()
        assert sentence.endswith(".")
    assert rule.title[0].isupper()
    assert not rule.title.endswith(".")

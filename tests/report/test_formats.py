"""Formats are found by the names of their modules."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

import grader.report
from grader.report import formats, render
from grader.results import Grade, grade_from_plain
from tests.report.grades import NAMES, load

FULL = Path(__file__).parents[1] / "cases" / "reports" / "full-marks.json"


@pytest.fixture
def grade() -> Grade:
    return grade_from_plain(json.loads(FULL.read_text("utf-8")))


def test_helpers_are_no_formats() -> None:
    assert not [name for name in formats() if name.startswith("_")]


def test_a_new_file_is_a_new_format(grade: Grade, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "short.py").write_text("def render(grade, options):\n    return f'{grade.exercise} {options.width}'\n")
    monkeypatch.setattr(grader.report, "__path__", [*grader.report.__path__, str(tmp_path)])
    assert "short" in formats()
    assert render(grade, "short") == "lesson10 80"
    monkeypatch.delitem(sys.modules, "grader.report.short")


def test_no_format_sees_what_a_hidden_criterion_hides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bare.py").write_text("def render(grade, options):\n    return repr(grade.criteria)\n")
    monkeypatch.setattr(grader.report, "__path__", [*grader.report.__path__, str(tmp_path)])
    plain = json.loads((FULL.parent / "hidden-failed.json").read_text("utf-8"))
    hidden = [each for each in plain["criteria"] if each.get("visibility") == "hidden" and each["status"] == "failed"]
    values = {each[name] for each in hidden for name in ("call", "expected", "actual", "output") if each[name]}
    shown = render(grade_from_plain(plain), "bare")
    assert values
    assert not [value for value in values if value in shown]
    monkeypatch.delitem(sys.modules, "grader.report.bare")


def test_an_unknown_format_is_refused(grade: Grade) -> None:
    with pytest.raises(ValueError, match=f"'pdf'.*{', '.join(formats())}"):
        render(grade, "pdf")


@pytest.mark.parametrize("format", formats())
@pytest.mark.parametrize("name", NAMES)
def test_every_format_of_every_grade_is_safe_and_claims_no_more_than_is_known(format: str, name: str) -> None:
    grade = load(name)
    report = render(grade, format)
    report.encode("utf-8")
    assert report.endswith("\n")
    assert not [character for character in report if not character.isprintable() and character != "\n"]
    assert "SECRET" not in report
    if name != "full-marks":
        assert not re.search(r"every criterion passed|all passed", report, re.IGNORECASE)


@pytest.mark.parametrize("format", ["github", "gradescope", "junit", "markdown", "text"])
def test_why_a_grade_is_not_the_whole_is_said(format: str) -> None:
    elsewhere, only, broken = (render(load(name), format) for name in ("elsewhere", "only", "suite-error"))
    assert "Graded elsewhere: 3 more, worth 12.5 points." in elsewhere
    assert "Only shard was graded: this is not the whole exercise." in only
    assert "no score" in broken
    assert not re.search(r"\d of \d", broken)

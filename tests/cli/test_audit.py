"""``course audit``: which exercises it takes, what it shows, and the exit code."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

CASES = Path(__file__).parents[1] / "cases" / "audit"


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course with one right exercise, the current folder in it, and a terminal of a known width."""
    monkeypatch.setenv("COLUMNS", "100")
    root = tmp_path / "sums"
    shutil.copytree(CASES / "right", root)
    monkeypatch.chdir(root)
    return root


def break_it(course: Path, name: str) -> None:
    shutil.copytree(CASES / "wrong" / name, course, dirs_exist_ok=True)


def assert_right(result: Any) -> None:
    assert result.code == 0, result.err
    assert result.out.count("3 criteria, 3 mutants, points: 3, solutions graded: 9, ") == 1
    assert result.out.endswith("\n12 files checked: nothing to mend.\n")


def test_a_right_exercise_ends_with_0_and_verbose_shows_what_catches_what(run: Any, course: Path) -> None:
    result = run("audit", "sums", "exercises/sums/", "--verbose", "--jobs", "1")
    assert_right(result)
    assert result.err == ""
    assert "   1  total-some, 1, catches 1\n   2  total-none, 1, catches 1\n" in result.out
    assert "  drops_the_last       X  -\n  wants_a_first_value  .  X\n" in result.out


def test_without_names_all_are_audited_and_a_terminal_shows_progress(
    run: Any, course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    result = run("audit", "--jobs", "1")
    assert_right(result)
    assert "  total-some        1        1  drops_the_last\n" in result.out
    assert "7 of 8  mutant takes_the_first" in result.err
    assert result.err.endswith("\r\x1b[K")


def test_a_failure_is_shown_with_its_place_and_what_to_do(
    run: Any, course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_it(course, "no_hint")
    monkeypatch.chdir(course / "exercises")
    result = run("audit", "sums", "--jobs", "1")
    assert result.code == 1
    assert (
        "../suites/sums/test_total.py\n"
        "  6:2  error  total-some has no hint for those who fail it  [hints]\n"
        '  6 | @criterion("total", points=1, title="adds up", hint=" ")\n'
        "    |  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
        '    = Add hint="…" to its @criterion: one question that leads on, and not the code.\n'
    ) in result.out
    assert result.out.endswith("12 files checked: 2 errors.\n")


def test_as_data(run: Any, course: Path) -> None:
    break_it(course, "no_hint")
    result = run("audit", "--format", "json", "--jobs", "1")
    found = json.loads(result.out)
    assert result.code == 1
    assert [each["line"] for each in found["findings"]] == [6, 12]
    assert found["findings"][0].keys() >= {"rule", "severity", "path", "column", "end_line", "end_column", "fix"}
    (exercise,) = found["exercises"]
    assert (exercise["exercise"], exercise["points"]) == ("sums", 3)
    assert exercise["criteria"][0] == {
        "id": "total-some",
        "function": "total",
        "points": 1,
        "catches": ["drops_the_last"],
    }
    assert exercise["mutants"][0]["statuses"] == {"total-some": "failed", "total-none": "blocked"}


def test_what_does_not_exist_is_a_usage_error(run: Any, course: Path) -> None:
    result = run("audit", "sum")
    assert result.code == 2
    assert "no exercise is called 'sum'. Did you mean sums?" in result.err
    shutil.rmtree(course / "exercises")
    result = run("audit")
    assert result.code == 2
    assert "there is nothing to audit" in result.err


def test_a_grader_that_dies_ends_with_3(run: Any, course: Path) -> None:
    (course / "suites" / "sums" / "test_total.py").write_text("import os\n\nos._exit(1)\n")
    result = run("audit", "--jobs", "1")
    assert (result.code, result.out) == (3, "")
    assert "reference: the trusted process ended" in result.err

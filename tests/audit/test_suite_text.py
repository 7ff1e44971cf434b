"""Checks of a suite as text: each line that is to be accused is marked in the example, and no other is accused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from grader.audit.boundary import check_boundary
from grader.audit.learner import check_comparisons
from grader.audit.suite import criteria, read_suite
from grader.results import Finding

SUITES = Path(__file__).parents[1] / "cases" / "audit" / "suites"


def marked(file: Path, mark: str) -> list[int]:
    return [number for number, line in enumerate(file.read_text().splitlines(), 1) if line.endswith(f"# {mark}")]


def lines(findings: list[Finding]) -> list[int | None]:
    return sorted({each.line for each in findings}, key=lambda line: line or 0)


@pytest.fixture
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    shutil.copy(SUITES / request.param, tmp_path)
    return tmp_path


@pytest.mark.parametrize("folder", ["comparisons.py"], indirect=True)
def test_a_comparison_with_itself_is_told_from_one_that_judges(folder: Path) -> None:
    found = list(check_comparisons(criteria(read_suite(folder))))
    assert lines(found) == marked(SUITES / "comparisons.py", "itself")


@pytest.mark.parametrize("folder", ["boundary.py"], indirect=True)
def test_what_cannot_cross_is_told_from_what_can(folder: Path) -> None:
    found = list(check_boundary(read_suite(folder), ["double", "shard"], ["double.py", "shard.py"]))
    assert lines(found) == marked(SUITES / "boundary.py", "crosses not")


def test_columns_count_characters(tmp_path: Path) -> None:
    (tmp_path / "test_x.py").write_text("def test_x(student):\n    assert 'größer' and student.other\n", "utf-8")
    (found,) = check_boundary(read_suite(tmp_path), ["double"], [])
    assert (found.line, found.column, found.end_line, found.end_column) == (2, 25, 2, 38)

"""The table of differences: each row names a test that shows it, and that test is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from .records import records
from .reference import ROOT

PAGE = ROOT / "docs" / "differences.md"
REFERENCE = re.compile(r"\[`(test_\w+)`\]\(([^)]+)\)")
ROWS = [line.strip("|").split("|") for line in PAGE.read_text().splitlines() if line.startswith("|")][2:]


def functions_in(file: Path) -> set[str]:
    return {node.name for node in ast.parse(file.read_text()).body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0].strip())
def test_a_row_names_a_test_that_shows_it(row: list[str]) -> None:
    name, torch, here, why, shown = (cell.strip() for cell in row)
    assert all((name, torch, here, why))
    references = REFERENCE.findall(shown)
    assert references
    for test, link in references:
        assert test in functions_in((PAGE.parent / link).resolve())


def test_the_readme_names_every_configuration() -> None:
    readme = (ROOT / "tests" / "oracle" / "README.md").read_text()
    table = readme.partition("| configuration | is |")[2].partition("\n\n")[0]
    named = {name for line in table.splitlines() for name in re.findall(r"`([\w-]+)`", line.partition(" | ")[0])}
    assert named == {record.configuration for record in records()}

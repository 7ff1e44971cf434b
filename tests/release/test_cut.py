"""Cutting a suite: what visible criteria reach stays as it is written, and what cannot be followed is refused."""

from __future__ import annotations

import re
import shutil
from decimal import Decimal
from pathlib import Path

import pytest

from grader.course import CourseError
from grader.release.cut import cut
from grader.results import Planned

CASES = Path(__file__).parents[1] / "cases" / "release"
SHOWN = Planned("pairs-shown", "pairs", "t", Decimal(1))
HIDDEN = Planned("pairs-hidden", "pairs", "t", Decimal(2), "hidden")


def test_what_visible_criteria_reach_stays_as_it_is_written() -> None:
    found = cut(CASES / "suite", [SHOWN, HIDDEN])
    assert found.files == {file.name: file.read_text() for file in (CASES / "visible").iterdir() if file.is_file()}
    assert {hidden.name for hidden in found.hidden} == {
        "SECRET_LIMIT", "SECRET_SIZES", "for_the_hidden", "pairs-hidden", "secret",
    }  # fmt: skip


def test_nothing_is_cut_where_nothing_is_hidden() -> None:
    found = cut(CASES / "visible", [SHOWN])
    assert found.hidden == ()
    assert found.files == {file.name: file.read_text() for file in (CASES / "visible").iterdir() if file.is_file()}


@pytest.mark.parametrize("case", sorted((CASES / "refused").glob("*.py")), ids=lambda file: file.stem)
def test_what_cannot_be_followed_is_refused_at_its_line(case: Path, tmp_path: Path) -> None:
    source = case.read_text()
    shutil.copy(case, tmp_path / "test_case.py")
    planned = [SHOWN, HIDDEN] if "test_hidden" in source else [SHOWN]
    with pytest.raises(CourseError) as refused:
        cut(tmp_path, planned)
    line = re.search("^# line: (.*)", source, re.MULTILINE)
    assert re.findall("^# refused: (.*)", source)[0] in refused.value.message
    assert refused.value.line == (int(line[1]) if line else None)
    assert refused.value.file == (tmp_path / "test_case.py" if line else tmp_path)


def test_files_beside_the_suite_are_refused(tmp_path: Path) -> None:
    shutil.copytree(CASES / "visible", tmp_path, dirs_exist_ok=True)
    (tmp_path / "values.json").write_text("[7, 11, 13]")
    with pytest.raises(CourseError, match="what a test reads beside them cannot be cut") as refused:
        cut(tmp_path, [SHOWN])
    assert refused.value.file == tmp_path / "values.json"


def test_a_line_ends_where_python_ends_it(tmp_path: Path) -> None:
    """A form feed between parts of a file, as some write it, moves nothing."""
    source = (CASES / "suite" / "test_pairs.py").read_text().replace("\n\n\n", "\n\f\n\n")
    shutil.copytree(CASES / "suite", tmp_path, dirs_exist_ok=True)
    (tmp_path / "test_pairs.py").write_text(source)
    text = cut(tmp_path, [SHOWN, HIDDEN]).files["test_pairs.py"]
    assert "gives it away" not in text
    assert text.replace("\f", "") == (CASES / "visible" / "test_pairs.py").read_text()

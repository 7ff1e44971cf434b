"""A right exercise, small, and wrong ones: each folder holds what differs, and ``findings.txt``, what an audit says."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.audit import audit
from grader.course import Course
from grader.results import Finding

CASES = Path(__file__).parents[1] / "cases" / "audit"
WRONG = sorted((CASES / "wrong").iterdir())
RULES = {
    "boundary",
    "calls",
    "catches",
    "compares",
    "hints",
    "idle",
    "manifest",
    "mutant",
    "reference",
    "stub",
    "suite",
}


def course_of(case: Path, folder: Path) -> Course:
    """The right course with the files of a case in the place of its own, and without those in its ``without.txt``."""
    shutil.copytree(CASES / "right", folder, dirs_exist_ok=True)
    if (case / "without.txt").exists():
        for name in (case / "without.txt").read_text().split():
            shutil.rmtree(folder / name) if (folder / name).is_dir() else (folder / name).unlink()
    shutil.copytree(case, folder, dirs_exist_ok=True)
    return Course.read(folder / "course.yml")


def shown(findings: tuple[Finding, ...]) -> Iterator[str]:
    for each in findings:
        place = ":".join(str(part) for part in (each.path, each.line, each.column) if part is not None)
        yield f"{place}: {each.message} [{each.rule}]\n    {each.fix}\n"


@pytest.mark.parametrize("case", WRONG, ids=lambda case: case.name)
def test_what_is_wrong_is_found_and_nothing_else(case: Path, tmp_path: Path) -> None:
    found = audit(course_of(case, tmp_path), "sums", jobs=1)
    assert "".join(shown(found.findings)) == (case / "findings.txt").read_text()


def test_each_rule_has_a_case() -> None:
    texts = [(case / "findings.txt").read_text() for case in WRONG]
    assert {rule for rule in RULES if any(f"[{rule}]\n" in text for text in texts)} == RULES


def test_a_right_exercise_is_proven(tmp_path: Path) -> None:
    seen: list[tuple[int, int, str]] = []
    found = audit(
        course_of(CASES / "right", tmp_path),
        "sums",
        progress=lambda done, total, name: seen.append((done, total, name)),
    )
    assert found.findings == ()
    assert {each.id: each.catches for each in found.criteria} == {
        "total-some": ("drops_the_last",),
        "total-none": ("wants_a_first_value",),
        "largest-any": ("takes_the_first",),
    }
    assert (found.points, found.trials, len(seen)) == (3, 9, 9)
    assert {total for _, total, _ in seen} == {1, 8}
    assert "largest: return values" in {name for _, _, name in seen}

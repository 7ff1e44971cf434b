"""Frontmatter that is wrong as people get it wrong: files, each with what is to be found in it beside."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.course import Course, yaml
from grader.course.library import Library
from grader.course.markdown import read_page
from grader.course.page import Page
from grader.results import Finding
from grader.rules import PageRule, rules
from grader.rules.fixes import fix
from grader.rules.frontmatter._lines import quoted
from tests.rules.checking import SMALL, shown

CASES = Path(__file__).parents[1] / "cases" / "frontmatter"
COURSE = Course.read(SMALL / "course.yml")
OF_FRONTMATTER = [
    rule for rule in rules().values() if isinstance(rule, PageRule) and ".frontmatter." in type(rule).__module__
]


def page(folder: Path, content: bytes) -> Page:
    (folder / "lessons").mkdir(exist_ok=True)
    (folder / "lessons" / "lesson1.md").write_bytes(content)
    return Library(folder, COURSE).page("lessons/lesson1.md")


def findings(page: Page) -> list[Finding]:
    library = Library(Path(), COURSE)
    found = [finding for rule in OF_FRONTMATTER for finding in rule.check(page, library)]
    return sorted(found, key=lambda finding: (finding.line or 0, finding.column or 0, finding.rule))


@pytest.mark.parametrize("case", sorted(CASES.glob("*.md")), ids=lambda case: case.stem)
def test_what_is_found(case: Path, tmp_path: Path) -> None:
    found = "\n".join(shown(finding) for finding in findings(page(tmp_path, case.read_bytes())))
    assert found == case.with_suffix(".txt").read_text("utf-8")


@pytest.mark.parametrize("case", sorted(CASES.glob("*.md")), ids=lambda case: case.stem)
def test_what_was_edited_needs_no_edits(case: Path, tmp_path: Path) -> None:
    content = case.read_bytes()
    found = findings(page(tmp_path, content))
    after, count = fix(content, found)
    assert count == len([finding for finding in found if finding.edits])
    again = findings(page(tmp_path, after))
    assert [finding for finding in again if finding.edits] == []
    assert len(again) <= len(found) - count


PIECES = [*":#[]{},|\t\"'", ": ", " ", "- ", "title", "order", "x-a", "10:30", "no", "a"]
LINE = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)


@given(st.lists(LINE, max_size=5))
def test_findings_lie_in_the_page(lines: list[str]) -> None:
    page = read_page("lessons/lesson1.md", "\n".join(["---", *lines, "---", ""]).encode())
    for finding in findings(page):
        assert finding.line is not None
        assert finding.column is not None
        assert 1 <= finding.line <= len(lines) + 3
        assert 1 <= finding.column <= len(page.text.line(finding.line)) + 1


@given(st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]), min_size=1))
def test_what_is_quoted_is_read_as_it_was_written(value: str) -> None:
    inner = value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value
    assert yaml.parse(f"k: {quoted(value)}").data["k"] == inner

"""The truth about links in real trees and in a tree of hard cases: nothing missed, nothing right accused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader.course.library import Library
from grader.results import Finding
from grader.rules import PageRule
from grader.rules.engine import check
from grader.rules.selection import selected

CASES = Path(__file__).parents[2] / "cases"
TRUTHS = sorted((CASES / "corpus").glob("*.txt"))
GOOD_OR_BAD = re.compile(r"(GOOD|BAD)\d+ \[")

# Beside the lines of links.md that say so themselves.
HARD = """
bom.md:7 link-file missing-bom.md
crlf.md:7 link-file missing-crlf.md
ctx.md:17 link-label [full][ref]
ctx.md:17 link-label [collapsed][]
ctx.md:17 link-label [undefined][nope]
ctx.md:29 table-code |
ctx.md:31 link-file missing-img.png
ctx.md:31 link-file missing-html.md
ctx.md:33 image-text ![](missing-md-img.png)
ctx.md:33 link-file missing-md-img.png
ctx.md:35 link-file missing-task.md
ctx.md:38 link-file missing-quote.md
ctx.md:42 link-file missing-inner.png
ctx.md:42 link-file missing-outer.md
ctx.md:44 link-file missing-nested.md
ctx.md:47 link-file missing-multiline.md
fence.md:8 fence-inside ```bash
fence.md:12 link-file missing-seen.md
front.md:8 link-file missing-after-fm.md
"""


def links(root: Path, dialect: str) -> tuple[Library, list[Finding]]:
    """What the rules about links find in a tree, without those that say which files cannot be read."""
    library = Library(root, None, dialect)
    return library, list(check(library, [rule for rule in selected(["links"]) if isinstance(rule, PageRule)]))


def written(library: Library, finding: Finding) -> str:
    """A finding as the files of truth have it: place, rule, and the text that it points at."""
    text = library.page(finding.path).text
    places = finding.line, finding.column, finding.end_line, finding.end_column
    line, column, end_line, end_column = (place or 0 for place in places)
    shown = text.content[text.offset(line, column) : text.offset(end_line, end_column)]
    return f"{finding.path}:{line} {finding.rule} {shown}"


@pytest.mark.parametrize("truth", TRUTHS, ids=lambda truth: truth.stem)
def test_a_real_tree(truth: Path) -> None:
    dialect, *expected = truth.read_text("utf-8").splitlines()
    library, found = links(truth.with_suffix(""), dialect)
    assert [written(library, finding) for finding in found] == expected


def test_there_are_real_trees() -> None:
    assert len(TRUTHS) == 3


def test_hard_cases() -> None:
    library, found = links(CASES / "links", "github")
    assert [written(library, each) for each in found if each.path != "links.md"] == HARD.split("\n")[1:-1]


def test_good_and_bad_lines() -> None:
    lines = (CASES / "links" / "links.md").read_text("utf-8").splitlines()
    said = {number: match[1] for number, line in enumerate(lines, 1) if (match := GOOD_OR_BAD.match(line))}
    _, found = links(CASES / "links", "github")
    bad = [finding.line for finding in found if finding.path == "links.md"]
    assert bad == [number for number, word in said.items() if word == "BAD"]
    assert len(said) == 30


def test_other_dialects_make_other_truths() -> None:
    """By GitHub's rules, what pandoc's attributes name is not there."""
    _, found = links(CASES / "corpus" / "python-novice-inflammation", "github")
    assert len([finding for finding in found if finding.rule == "link-anchor"]) > 100

"""The report as Markdown, by the tokens of a parser of Markdown."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from markdown_it import MarkdownIt
from markdown_it.token import Token

from grader.report import render
from grader.report.markdown import MOST_BYTES
from grader.results import Grade
from tests.report.grades import NAMES, TEXTS, load, rendered, written

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
FOLD = re.compile(r"<details>\n<summary>(FAILED|TIMEOUT|ERROR) ([^<>]|</?code>)*</summary>\n|</details>\n?")


def tokens(grade: Grade) -> list[Token]:
    found = PARSER.parse(rendered(grade, "markdown"))
    assert not [token for token in found if token.type == "html_block" and not FOLD.fullmatch(token.content)]
    inline = {child.type for token in found for child in token.children or []}
    assert inline <= {"text", "text_special", "strong_open", "strong_close", "softbreak"}
    return found


def plain(token: Token) -> str:
    return "".join(child.content for child in token.children or [])


@pytest.mark.parametrize("name", NAMES)
def test_a_title_a_row_for_each_function_and_a_fold_for_each_failure(name: str) -> None:
    grade = load(name)
    found = tokens(grade)
    assert plain(found[1]) == f"{grade.exercise}: {grade.title}"
    rows = [plain(found[at + 2]) for at, token in enumerate(found) if token.type == "tr_open"]
    assert rows == ["function", *(function.name for function in grade.functions)]
    folds = [token for token in found if token.type == "html_block" and "<summary>" in token.content]
    failed = [each for each in grade.criteria if each.status in ("failed", "timeout", "error")]
    assert len(folds) == len(failed)
    points = [plain(token) for token in found if re.search(r"\d of \d", plain(token))]
    assert len(points) == (0 if grade.faulty else len(grade.functions) + 1)


def test_a_fold_says_what_the_report_for_people_says_and_then_comes_the_next_step() -> None:
    fences = [token.content for token in tokens(load("mixed")) if token.type == "fence"]
    assert "got       three different shapes\n" in fences[0]
    assert fences[-1] == (
        "fix gather, a size that does not divide evenly (gather.py, line 12), then\n"
        "    course grade exercises/lesson10 --only gather\n"
        "Stuck? course hint exercises/lesson10 gather\n"
    )


def test_untouched_stubs_say_where_to_begin() -> None:
    assert "Begin" in [plain(token) for token in tokens(load("untouched"))]


def test_code_in_a_title_is_code() -> None:
    grade = load("mixed")
    criteria = tuple(replace(criterion, title="`a < b` | <i>") for criterion in grade.criteria)
    report = render(replace(grade, criteria=criteria), "markdown")
    assert "<summary>FAILED gather: <code>a &lt; b</code> | &lt;i&gt;</summary>" in report


def test_what_github_has_no_room_for_is_left_out_and_said() -> None:
    grade = written("\n".join(["図" * 290] * 30))
    many = replace(grade, criteria=grade.criteria * 40)
    report = render(many, "markdown")
    assert len(report.encode()) < MOST_BYTES + 100_000
    folds = report.count("<details>")
    assert f"\n{len(many.criteria) - folds} more are left out" in report


@given(TEXTS)
def test_any_text_of_a_learner_stays_in_its_fence(text: str) -> None:
    found, expected = (
        [
            (token.type, token.info, token.level, "" if token.type == "fence" else token.content)
            for token in tokens(grade)
        ]
        for grade in (written(text), written("x"))
    )
    assert found == expected

"""Frontmatter: fences taken strictly, problems named at their place, nothing taken for what it is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grader.course.frontmatter import read_frontmatter
from grader.course.markdown import read_page
from grader.course.page import Text

GOOD = ["---\ntitle: A\n---\n", "\ufeff---\ntitle: A\n---\n", "---\r\ntitle: A\r\n---", "---\ntitle: A\n---"]


@pytest.mark.parametrize("content", GOOD)
def test_it_is_read(content: str) -> None:
    page = read_page("a.md", content.encode())
    assert page.frontmatter is not None
    assert page.frontmatter.problem is None
    assert page.frontmatter.data == {"title": "A"}
    assert not page.headings


@pytest.mark.parametrize(
    "content", ["", "-", "# A\n", "----\nhello\n----\nworld", " ---\n\ntext", "a ---\nb: c\n", "***\n"]
)
def test_what_is_none_is_left_alone(content: str) -> None:
    assert read_frontmatter(Text(content), Path("a.md")) == (None, 0)


def test_a_fence_inside_a_value_is_no_fence() -> None:
    frontmatter, lines = read_frontmatter(Text("---\na: x --- y\nb: |\n  c\n  ---\n  d\n---\n# A\n"), Path("a.md"))
    assert frontmatter is not None
    assert frontmatter.data == {"a": "x --- y", "b": "c\n---\nd\n"}
    assert lines == 7


def test_it_may_be_empty() -> None:
    frontmatter, lines = read_frontmatter(Text("---\n---\n# A\n"), Path("a.md"))
    assert frontmatter is not None
    assert (frontmatter.problem, frontmatter.data, lines) == (None, {}, 2)


@pytest.mark.parametrize(
    ("content", "place", "message", "hidden"),
    [
        ("---\ntitle: A\n\n# B\n", (1, 1), "not closed", 0),
        ("--- \ntitle: A\n---\n# B\n", (1, 1), "exactly ---", 3),
        ("----\ntitle: A\n---\n# B\n", (1, 1), "exactly ---", 3),
        (" ---\ntitle: A\n---\n# B\n", (1, 2), "column 1", 3),
        ("do---\ntitle: A\n---\n# B\n", (1, 3), "exactly ---", 3),
        ("\n\n---\ntitle: A\n---\n# B\n", (3, 1), "line 1", 5),
        ("---\ntitle: A\n...\n# B\n", (3, 1), "not by '...'", 3),
        ("---\ntitle: A\n--- \n# B\n", (3, 1), "not by '--- '", 3),
        ("---\ntitle: A\n-----\n# B\n", (3, 1), "not by '-----'", 3),
        ("---\ntitle: A\n  ---\n# B\n", (3, 3), "column 1", 3),
        ("---\n\nHello\n\n---\n# B\n", (3, 1), "must be keys and values", 0),
        ("---\n- a\n- b\n---\n# B\n", (2, 1), "must be keys and values", 4),
        ("---\ntitle:A\n---\n# B\n", (2, 1), "blank after the colon", 0),
        ("---\n12\n---\n# B\n", (2, 1), "must be keys and values", 3),
        ("---\ntitle: A: B\n---\n# B\n", (2, 9), "quotes", 3),
        ("---\na: 1\na: 2\n---\n# B\n", (3, 1), "given twice, first in line 2", 4),
        ("---\ntitle: a\x07\n---\n# B\n", (2, 9), "U+0007", 3),
        ("---\ntitle: a\u2028b\n---\n# B\n", (2, 9), "U+2028", 3),
        ("---\na:\n\tb: c\n---\n# B\n", (3, 1), "tab", 4),
    ],
)  # fmt: skip
def test_a_problem_is_named_and_the_rest_is_kept(
    content: str, place: tuple[int, int], message: str, hidden: int
) -> None:
    for text in (Text(content), Text(content.replace("\n", "\r\n"))):
        frontmatter, lines = read_frontmatter(text, Path("a.md"))
        assert frontmatter is not None
        assert frontmatter.problem is not None
        assert message in frontmatter.problem.message
        assert (frontmatter.problem.line, frontmatter.problem.column) == place
        assert lines == hidden
        assert frontmatter.data == {}


PIECES = st.sampled_from(
    ["---", "...", "----", " ", "\n", "\r\n", "\r", "\t", "a: b", "- ", "#", ":", "'", "{", "\u2028", "\xa0"]
)


@given(st.lists(PIECES | st.text(max_size=4), max_size=20).map("".join))
@example("\r\x1f\n---")
def test_any_text_gives_data_or_a_problem_inside_the_file(content: str) -> None:
    text = Text("---\n" + content)
    frontmatter, lines = read_frontmatter(text, Path("a.md"))
    assert frontmatter is not None
    assert (frontmatter.source is None) == (frontmatter.problem is not None)
    assert 0 <= lines <= len(text.starts)
    places = list(frontmatter.source.document.values.values()) if frontmatter.source else []
    if frontmatter.problem:
        places.append((frontmatter.problem.line or 0, frontmatter.problem.column or 0))
    for line, column in places:
        assert 1 <= line <= len(text.starts)
        assert 1 <= column <= len(text.line(line)) + 1

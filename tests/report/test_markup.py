"""Text of people in Markdown is shown as it is."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from grader.report._markup import markdown
from tests.report.gradebook.classes import names

MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])
MARKUP = st.text("#+-=:.)(![]*_`~<>&;|$@\\/ 1ahtpw\u00e9", max_size=12)


@given(names.map(lambda name: name.replace("\x00", "")) | MARKUP)
@example("1. a")
@example("2) a")
@example("+ a")
@example("- a")
@example("a #")
@example("a _b_ c")
@example("&amp; &#35;")
def test_markdown_shows_text_as_it_is(name: str) -> None:
    line = " ".join(name.split())
    written = int(bool(line))
    for before, shown, count in (
        ("", line, 3 * written),
        ("# ", line, 3),
        ("- ", line, 4 + 3 * written),
        ("- a ", f"a {line}".strip(), 7),
    ):
        tokens = MARKDOWN.parse(f"{before}{markdown(line)}\n")
        parts = [part for token in tokens for part in token.children or ()]
        assert "".join(part.content for part in parts) == shown
        assert {part.type for part in parts} <= {"text"}
        assert len(tokens) == count


@pytest.mark.parametrize("link", ["http://a.example", "https://a.example", "www.a.example", "WWW.a.example"])
def test_markdown_makes_no_link_of_a_bare_address(link: str) -> None:
    assert "://" not in markdown(link)
    assert "www." not in markdown(link).lower()

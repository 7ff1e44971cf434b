"""Edits change what they name and nothing else."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from grader.course.page import Text
from grader.results import Edit, Finding
from grader.rules.fixes import fix

WORD = "•"


def finding(*edits: Edit) -> Finding:
    return Finding("bullet", "error", "a.md", 1, 1, 1, 2, "no bullet", edits=edits)


def bullets(content: bytes) -> list[Finding]:
    """A finding for each bullet, as a rule would give it."""
    text = Text(content.decode().removeprefix("\ufeff"))
    places = [place for place, character in enumerate(text.content) if character == WORD]
    spans = [text.span(place, place + 1) for place in places]
    return [finding(Edit(span.line, span.column, span.end_line, span.end_column, "-")) for span in spans]


LINES = st.lists(st.text(st.sampled_from("ab •é図\t"), max_size=6), max_size=6)


@given(lines=LINES, end=st.sampled_from(["\n", "\r\n", "\r"]), bom=st.sampled_from(["", "\ufeff"]))
def test_fixing_keeps_all_else_and_once_is_enough(lines: list[str], end: str, bom: str) -> None:
    content = (bom + end.join(lines)).encode()
    once = content
    while found := bullets(once):
        once, count = fix(once, found)
        assert count
    assert once == content.decode().replace(WORD, "-").encode()
    assert fix(once, bullets(once)) == (once, 0)


def test_edits_of_one_finding_are_made_together_or_not_at_all() -> None:
    first = finding(Edit(1, 1, 1, 3, "X"), Edit(1, 5, 1, 6, "Y"))
    second = finding(Edit(1, 7, 1, 8, "Z"), Edit(1, 6, 1, 7, ""))
    assert fix(b"abcdefgh", [first, second]) == (b"XcdYfgh", 1)
    assert fix(b"abcdefgh", [second, first]) == (b"abcdeZh", 1)


def test_inserted_lines_end_as_the_others_do() -> None:
    inserted = finding(Edit(2, 1, 2, 1, "one\n\ntwo\r\n"))
    assert fix(b"a\r\nb\r\n", [inserted]) == (b"a\r\none\r\n\r\ntwo\r\nb\r\n", 1)
    assert fix(b"a\nb\n", [inserted]) == (b"a\none\n\ntwo\nb\n", 1)

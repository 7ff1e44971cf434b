"""Anchors of headings, by the rules of each dialect."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.course.markdown import read_page
from grader.course.slugs import DIALECTS, Slugs


def anchors(content: str, dialect: str = "github") -> list[str]:
    return [heading.anchor for heading in read_page("a.md", content.encode(), dialect).headings]


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("Café", "café"),
        ("हिन्दी शीर्षक", "हिन्दी-शीर्षक"),
        ("梯度 分片", "梯度-分片"),
        ("Half ½ cup", "half--cup"),
        ("\U0001f6e0\ufe0f Tools", "\ufe0f-tools"),
        ("\U0001f604 smile", "-smile"),
        (":smile: face", "smile-face"),
        ("`a` + `title`", "a--title"),
        ("a_title *em* __strong__", "a_title-em-strong"),
        ("CI / Build", "ci--build"),
        ("R&D", "rd"),
        ("Header → Arrow", "header--arrow"),
        ("Maximum Likelihood (MLE)", "maximum-likelihood-mle"),
        ("A §1 B", "a-1-b"),
        ("v1.2", "v12"),
        ("Trailing!", "trailing"),
        ("Equality Operator (`==`)", "equality-operator-"),
        ("`--config`", "--config"),
        ("A <!-- c --> B", "a--b"),
        ("A <b>tag</b> B", "a-tag-b"),
        ("[Linked](t.md) head", "linked-head"),
        ("Custom {#my-id}", "custom-my-id"),
        ("::", ""),
        ("Ⅳ ⅳ ٤ ‿", "ⅳ-ⅳ-٤-‿"),
        ("AT&amp;T \\* x", "att--x"),
        ("![alt](a.png) After", "-after"),
    ],
)
def test_github(heading: str, anchor: str) -> None:
    assert anchors(f"## {heading}\n") == [anchor]


@pytest.mark.parametrize(
    ("dialect", "headings", "expected"),
    [
        ("github", ["Dup", "Dup", "Dup-1"], ["dup", "dup-1", "dup-1-1"]),
        ("github", ["Dup-1", "Dup", "Dup"], ["dup-1", "dup", "dup-2"]),
        ("kramdown", ["1. Café A & B", "Dup", "Dup"], ["1-café-a--b", "dup", "dup-1"]),
        ("pandoc", ["1. Café A & B", "3 M.2_x", "12", "Dup", "Dup"], ["café-a-b", "m.2_x", "section", "dup", "dup-1"]),
        ("mkdocs", ["Café A & B", "Dup", "Dup", "Dup_1", "日"], ["cafe-a-b", "dup", "dup_1", "dup_2", "_1"]),
        ("myst", ["Café A & B", "1.2", "Dup", "Dup"], ["café-a--b", "12", "dup", "dup-1"]),
    ],
)
def test_dialects(dialect: str, headings: list[str], expected: list[str]) -> None:
    assert anchors("".join(f"## {heading}\n\n" for heading in headings), dialect) == expected


@given(st.lists(st.sampled_from(["a", "A", "a-1", "a 1", "a_1", "b", "", "::"]) | st.text(), max_size=12))
def test_each_anchor_is_given_once(headings: list[str]) -> None:
    for dialect in DIALECTS:
        slugs = Slugs(dialect)
        given = [slugs.add(heading) for heading in headings]
        assert len(set(given)) == len(given)

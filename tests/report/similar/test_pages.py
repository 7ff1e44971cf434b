"""The pages, the table and the text about pairs that look alike: whole, safe, and without a word against anyone."""

from __future__ import annotations

import csv
import io
import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.likeness import Likeness, Marked, Pair, Piece, Remark, Side, SideBySide
from grader.report.similar import csv as table
from grader.report.similar import index, pair, text
from tests.report.test_html import Tree

HOSTILE = "<script>alert(1)</script>\x1b[2J\u202e&\"'"
ANY_TEXT = st.text(st.characters(codec=None), max_size=60)


def likeness(*pairs: Pair, remarks: tuple[Remark, ...] = ()) -> Likeness:
    return Likeness("lesson10", "Shards", Fraction(3, 5), 16, 40, 10, 200, pairs, remarks)


def between(left: str, right: str, shared: int = 50) -> Pair:
    return Pair(Side(left, shared, 80), Side(right, shared, 50))


ONE = between("ada", "bob")
PASSAGES = SideBySide(
    ONE,
    (
        Marked("a.py", (Piece("x = 1\n"), Piece("first", 0, 1), Piece(" and "), Piece("second", 1, 0), Piece("\n"))),
        Marked("b.py", (Piece("y = 2\n"),)),
    ),
    (Marked("c.py", (Piece(""), Piece("second", 0, 1), Piece(""), Piece("first", 1, 0), Piece("!"))),),
)


def everything(id: str, content: str) -> list[str]:
    """All texts, with ``id`` and ``content`` of whoever."""
    whole = likeness(between(id, "bob"), remarks=(Remark(id, content),))
    sides = SideBySide(between(id, "bob"), (Marked(id, (Piece(""), Piece(content, 0, 0), Piece(content))),), ())
    return [index.render(whole, 9), pair.render(sides, "lesson10"), table.render(whole, 9), text.render(whole)]


@given(ANY_TEXT, ANY_TEXT)
def test_pages_of_any_text_are_well_made(id: str, content: str) -> None:
    for page in everything(id, content)[:2]:
        tree = Tree(page)
        page.encode()
        assert {"script", "b", "img"}.isdisjoint({tag for tag, _ in tree.tags})
        assert not [value for _, found in tree.tags for name, value in found.items() if name.startswith("on")]


def test_nothing_of_a_submission_acts() -> None:
    listed, sides, _, printed = everything(HOSTILE, HOSTILE)
    assert {"\x1b", "\u202e"}.isdisjoint(listed + sides + printed)
    for page in (listed, sides):
        assert "<script" not in page
        assert not re.search(r"""(src|href)=["']?(https?:|//)|url\(|@import""", page)


def test_passages_are_numbered_as_on_the_left_and_lead_across() -> None:
    page = pair.render(PASSAGES, "lesson10")
    marks = re.findall(r'<mark class="tint-(\d)" id="(\S+)"><a class="passage" href="#(\S+)" .*?>(\d)</a>(\w+)', page)
    assert marks == [
        ("0", "left-0", "right-1", "1", "first"),
        ("1", "left-1", "right-0", "2", "second"),
        ("1", "right-0", "left-1", "2", "second"),
        ("0", "right-1", "left-0", "1", "first"),
    ]
    tree = Tree(page)
    ids = [attributes.get("id") for _, attributes in tree.tags]
    inner = [str(found["href"])[1:] for tag, found in tree.tags if tag == "a" and str(found["href"]).startswith("#")]
    assert set(inner) <= set(ids)
    assert len(inner) == 6


def test_a_file_of_one_side_or_without_a_passage_is_there() -> None:
    page = pair.render(PASSAGES, "lesson10")
    assert page.count("not handed in") == 3
    assert "<summary>b.py: nothing alike</summary>" in page
    assert page.index("a.py") < page.index("b.py") < page.index("c.py")


def test_the_list_shows_both_shares_and_links_the_pages_there_are() -> None:
    page = index.render(likeness(ONE, between("ada", "cleo", 45)), pages=1)
    words = " ".join(Tree(page).words.split())
    assert "2 pairs that look alike among 200 submissions" in words
    assert "Pair 1 ada 62 % bob 100 % 50" in words
    assert re.findall(r'href="(pair.*?)"', page) == ["pair-0001.html"]
    assert "1 more pair, less alike, in pairs.csv" in words
    assert "60 % or more" in words


def test_remarks_are_in_the_list() -> None:
    remarks = (Remark("dora", "was not compared: no archive"), Remark("dora", "x"))
    page = index.render(likeness(remarks=remarks), pages=1)
    words = " ".join(Tree(page).words.split())
    assert "1 submission not compared, or not as usual" in words
    assert "dora was not compared: no archive" in words
    assert "No pairs that look alike" in words
    assert "1 submission, named in index.html" in text.render(likeness(remarks=remarks))


def test_the_table_has_all_pairs_and_no_formula() -> None:
    shown = table.render(likeness(between("=1+1", "bob"), between("ada", "=2", 30)), pages=1)
    rows = list(csv.DictReader(io.StringIO(shown.removeprefix("\ufeff"))))
    assert [row["left"] for row in rows] == ["'=1+1", "ada"]
    assert [row["page"] for row in rows] == ["pair-0001.html", ""]
    assert [(row["left share"], row["right share"], row["left tokens"]) for row in rows] == [
        ("0.625", "1", "50"),
        ("0.375", "0.6", "30"),
    ]


def test_the_terminal_shows_ten() -> None:
    shown = text.render(likeness(*(between(f"person {number:02}", "宮本") for number in range(12))))
    assert shown.splitlines()[:4] == [
        "lesson10: 12 pairs that look alike among 200 submissions",
        "",
        "  share  of         share  of    tokens",
        "   62 %  person 00  100 %  宮本      50",
    ]
    assert "person 09" in shown
    assert "person 10" not in shown
    assert "and 2 more" in shown


@pytest.mark.parametrize("shown", [*everything("ada", "x = 1"), pair.render(PASSAGES, "lesson10")])
def test_nobody_is_accused(shown: str) -> None:
    words = re.sub(r"<style>.*?</style>", "", shown, flags=re.DOTALL)
    assert not re.search(r"cheat|plagiar|guilt|stole|suspect|fraud|caught", words, re.IGNORECASE)
    assert "no proof" in words or words.startswith("\ufeff")

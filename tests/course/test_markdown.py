"""Reading a page: every part is found, and its place is where its text stands in the file."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from grader.course.errors import CourseError
from grader.course.markdown import read_page
from grader.course.page import Page, Span
from grader.course.slugs import DIALECTS


def read(content: str, dialect: str = "github") -> Page:
    return read_page("page.md", content.encode(), dialect)


def at(page: Page, span: Span) -> str:
    """What stands at a place of a page."""
    text = page.text
    return text.content[text.offset(span.line, span.column) : text.offset(span.end_line, span.end_column)]


@pytest.mark.parametrize(
    ("content", "whole", "target"),
    [
        ("See [b](b.md).", "[b](b.md)", "b.md"),
        ("See [b]( <b c.md> 'title' ).", "[b]( <b c.md> 'title' )", "b c.md"),
        ("> - quoted [b](b.md)", "[b](b.md)", "b.md"),
        ("> a\nlazy [b](b.md)", "[b](b.md)", "b.md"),
        ("1. one\n\n\t[b](b.md) in a tab", "[b](b.md)", "b.md"),
        ("- one\n\n     [b](b.md) further in", "[b](b.md)", "b.md"),
        ("# # [b](b.md) #  ", "[b](b.md)", "b.md"),
        ("## b [b](b.md) b ##", "[b](b.md)", "b.md"),
        ("[two\nlines](b.md) b.md", "[two\nlines](b.md)", "b.md"),
        ("b.md [b](\nb.md\n) b.md", "[b](\nb.md\n)", "b.md"),
        ("[b](b_(x).md)", "[b](b_(x).md)", "b_(x).md"),
        ("| b.md | c |\n|---|---|\n| b.md \\| | [b](b.md) |", "[b](b.md)", "b.md"),
        ("- | b.md | c |\n  |---|---|\n  |  | \\|[b](b.md) |", "[b](b.md)", "b.md"),
        ("> c | b.md\n> --|--\n> \\|\\| [b](b.md) | c", "[b](b.md)", "b.md"),
        ("x[^1]\n\n[^1]: note [b](b.md)", "[b](b.md)", "b.md"),
        ("x[^1]\n\n[^1]:\n    note\n\n    [b](b.md)", "[b](b.md)", "b.md"),
        ("[a [b](b.md) c]", "[b](b.md)", "b.md"),
        ("**[b](b.md)**", "[b](b.md)", "b.md"),
        ("![b](b.png)", "![b](b.png)", "b.png"),
        ("see <https://b.example/b> there", "<https://b.example/b>", "https://b.example/b"),
        ('a <a title="b.md" href="b.md">b</a>', '<a title="b.md" href="b.md">', "b.md"),
        ("<div>\n<a\n  href=b.md>b</a>\n</div>", "<a\n  href=b.md>", "b.md"),
        ("- x\n\n  <div>\n    <img src='b.png' alt=''>\n  </div>", "<img src='b.png' alt=''>", "b.png"),
        ("[b][c]\n\n[c]: b.md", "[b][c]", "b.md"),
        ("[c][]\n\n> [C]:\n> <b c.md>\n> 'title'", "[c][]", "b c.md"),
        ("![c]\n\n[c]: b.md 'two\nlines'\n[d]: x.md", "![c]", "b.md"),
        ("[c]\n\n- [c\\]]: x.md\n- [c]: b.md", "[c]", "b.md"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("height", [0, 3, 40])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_link_and_its_address_have_their_place(content: str, whole: str, target: str, height: int, end: str) -> None:
    """At the same column whatever stands above, and with any line ends."""
    keys = "".join(f"k{number}: v\n" for number in range(height - 2))
    head = f"---\n{keys}---\n" if height else ""
    page = read((head + content).replace("\n", end))
    (link,) = page.links
    assert link.target == target
    assert at(page, link.span) == whole.replace("\n", end)
    assert at(page, link.target_span) == target
    assert link.span.line == height + content[: content.index(whole)].count("\n") + 1


def test_what_stands_in_code_comments_and_math_is_no_link() -> None:
    page = read("`[a](b)` ``[a](b)``\n\n```md\n[a](b)\n```\n\n    [a](b)\n\n<!-- [a](b) -->\n\n$[a](b)$ \\[a](b)\n")
    assert not page.links
    assert [comment.text for comment in page.comments] == ["[a](b)"]


def test_labels_without_a_definition_are_told_once() -> None:
    page = read("[a][nope] [b][] [word] x[0][1] ![i][pic] [^1] [^2] `[a][nope]`\n\n[^2]: note\n")
    assert [(each.label, each.footnote) for each in page.undefined] == [
        ("nope", False), ("b", False), ("pic", False), ("1", True),
    ]  # fmt: skip
    assert [at(page, each.span) for each in page.undefined] == ["[a][nope]", "[b][]", "[i][pic]", "[^1]"]


def test_a_line_below_a_footnote_belongs_to_it() -> None:
    page = read("[a][ref]\n\n[^1]: note\n[ref]: a.md\n")
    assert [each.label for each in page.undefined] == ["ref"]
    assert not page.definitions


def test_definitions_know_whether_they_are_used() -> None:
    page = read("[One] ![x][two]\n\n[one]: 1.md\n[TWO]: 2.md\n[three]: 3.md\n[one]: again.md\n")
    assert [(each.label, each.target, each.used) for each in page.definitions] == [
        ("one", "1.md", True), ("TWO", "2.md", True), ("three", "3.md", False), ("one", "again.md", False),
    ]  # fmt: skip


def test_headings_wherever_they_stand() -> None:
    page = read("# One\n\nTwo `x`\nlines\n---\n\n> ## In *quote* ##\n\n- ### <b>List</b>\n\n```\n# code\n```\n")
    assert [(each.level, each.text, each.anchor) for each in page.headings] == [
        (1, "One", "one"), (2, "Two x lines", "two-xlines"), (2, "In quote", "in-quote"), (3, "List", "list"),
    ]  # fmt: skip
    assert at(page, page.headings[1].span) == "Two `x`\nlines\n---"
    assert at(page, page.headings[2].span) == "## In *quote* ##"


def test_fences_know_whether_they_are_closed() -> None:
    page = read("```py x\n1\n```\n\n~~~\n```\n~~~\n\n- ````\n  ```\n\ntext\n\n```\nend\n    ```")
    assert [(each.mark, each.language, each.closed) for each in page.fences] == [
        ("```", "py", True), ("~~~", "", True), ("````", "", False), ("```", "", False),
    ]  # fmt: skip
    assert [at(page, each.span) for each in page.fences] == ["```py x", "~~~", "````", "```"]


def test_ids_in_html() -> None:
    page = read('<a id="a"></a> <a name=b></a>\n\n<div\nid="c">\n\n| <i id=\'d\'> |\n|---|\n\n`<i id="no">`\n')
    assert [(each.id, at(page, each.span)) for each in page.anchors] == [(each, each) for each in "abcd"]


def test_an_address_with_a_blank_is_no_link() -> None:
    page = read("[a](my file.md) [b](see the docs) [c](<my file.md>) [d]({{ root }}/a b.md)\n")
    assert [(each.target, at(page, each.span)) for each in page.spaced] == [("my file.md", "[a](my file.md)")]


def test_attributes_are_a_matter_of_dialect() -> None:
    content = "# Title {#own}\n\n[term]{#span} ![](a.png){alt='A picture' width=50%}\n\n## Title\n"
    pandoc, github = read(content, "pandoc"), read(content)
    assert [each.anchor for each in pandoc.headings] == ["own", "title"]
    assert [each.id for each in pandoc.anchors] == ["span"]
    assert [each.text for each in pandoc.links] == ["A picture"]
    assert [each.anchor for each in github.headings] == ["title-own", "title"]
    assert not github.anchors


@pytest.mark.parametrize(
    ("content", "place", "message"),
    [
        (b"# Caf\xe9\n", (1, 6), "byte 0xE9 is not UTF-8"),
        (b"\xef\xbb\xbfa\r\n\xc3\xa9\xff", (2, 2), "byte 0xFF is not UTF-8"),
        ("# a".encode("utf-16"), (1, 1), "UTF-16"),
        (b"a\nb\0", (2, 2), "NUL"),
    ],
)
def test_what_is_no_text_is_refused_at_its_place(content: bytes, place: tuple[int, int], message: str) -> None:
    with pytest.raises(CourseError, match=message) as caught:
        read_page("page.md", content)
    assert (caught.value.line, caught.value.column) == place


def test_a_byte_order_mark_takes_no_column() -> None:
    page = read_page("page.md", "\ufeff[b](b.md)".encode())
    assert page.text.bom
    assert page.links[0].span.column == 1


FRAGMENTS = [
    "[a](b.md)", "[a][r]", "![i](p.png)", "[^1]", "`code`", "```", "~~~", "---", "===", "|", "|---|", "\\|", "\\",
    "<!--", "$", "*", "_", "~~", "&amp;", "é", "ﷺ", "<https://x.example>", "{#id}", "<script>", "[", "]", "(", ")",
    "!", ":", "(x)=", ">", "-", "1.", "#", "##", "[a](<b c>)", "[a](b c.md)", "<a id=x>", "[r]: t.md", "[^1]: note",
    "<a href='b'>", "<!-- c -->", "<i srcset='a 1x, b 2x'>", "\n", "\n\n", "\r\n", "\r", "> ", "- ", "1. ", "# ",
    " #", "    ", "\t", "\u2028", "\xa0", "\x0b", "\x1c",
]  # fmt: skip
ANY = st.characters(codec="utf-8", exclude_characters="\0")
MARKDOWN = st.lists(st.sampled_from(FRAGMENTS) | st.text(ANY, max_size=5), max_size=30).map("".join)


@given(MARKDOWN, st.sampled_from(DIALECTS))
@example("\u2028\n[a](b.md)", "github")
@example("> \x1c\n> x [a](b.md)", "github")
@example("[a](b.md)\x1c\n", "github")
def test_places_point_at_what_they_name(content: str, dialect: str) -> None:
    page = read(content, dialect)
    for link in page.links:
        written = at(page, link.span)
        assert written.startswith(("[", "!["), 0) if link.kind in ("inline", "reference") else written[0] == "<"
        assert written[-1] in "])>"
    for anchor in page.anchors:
        assert anchor.id in at(page, anchor.span) or "&" in at(page, anchor.span)
    for label in page.undefined:
        assert at(page, label.span).startswith("[^" if label.footnote else "[")
    for fence in page.fences:
        assert at(page, fence.span).startswith(fence.mark)
    for comment in page.comments:
        assert at(page, comment.span).startswith("<!--")
    for definition in page.definitions:
        assert at(page, definition.span).startswith("[")


@given(st.text(st.sampled_from("ab \t\n!)]>#-+=:%@.|*é\u2028\xa0"), max_size=20))
def test_text_without_markup_becomes_what_the_rules_make_of_it(content: str) -> None:
    for block in read(content).tokens:
        if block.type == "inline":
            (parsed,) = MarkdownIt("commonmark").parseInline(block.content)
            assert block.children == parsed.children


LINES = [
    "text", "", "# a", "+ a", "* a", "- a", "10) a", "1. a", "> a", ">> - a", "***", "___", "---", "- -", "===",
    "```", "~~~ a", "<div>", "<!-- a -->", "<a>", "[a]: b", "| a |", "|---|", "    a", "  a", "\ta", "`a`", "*a*",
    "_a_", "#", "+", "2024", "\\# a",
]  # fmt: skip


@settings(max_examples=300)
@given(st.lists(st.sampled_from(LINES), max_size=10).map("\n".join).filter(lambda content: content[:3] != "---"))
def test_blocks_are_those_of_markdown_it(content: str) -> None:
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    expected = [(token.type, token.map, token.content, token.info) for token in parser.parse(content + "\n")]
    assert [(token.type, token.map, token.content, token.info) for token in read(content).tokens] == expected

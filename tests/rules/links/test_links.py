"""The rules about links, each with what it finds and what it lets pass, in trees of a few files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.course.library import Library
from grader.course.page import Text
from grader.results import Finding
from grader.rules.engine import check
from grader.rules.fixes import fix
from grader.rules.selection import selected

OTHERS = {
    "b.md": "# B\n\n## Part one\n",
    "c d.md": "# C\n",
    "c#.md": "# C\n",
    "100%.md": "# C\n",
    "x_(y).md": "# X\n",
    "Übung.md": "# Ü\n",
    "dir/README.md": "# Dir\n\n## In dir\n",
    "dir/code.py": "",
    "dir/inner/a.png": "",
    "index/index.md": "# Index\n",
}


def find(root: Path, content: str, dialect: str = "github", path: str = "page.md") -> list[Finding]:
    """What the rules find in a page among the others."""
    for name, text in {**OTHERS, path: content}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8", newline="")
    return [finding for finding in check(Library(root, None, dialect), selected(["links"])) if finding.path == path]


GOOD = [
    "[b](b.md) [b](./b.md) [b](/b.md) [b](dir/../b.md) [b](b.md?v=1) [b](?v=1)",
    "[c](<c d.md>) [c](c%20d.md) [c](c%23.md) [c](100%25.md) [x](x_(y).md) [x](x_\\(y\\).md) [x](<x_(y).md>)",
    "[ü](Übung.md) [ü](%C3%9Cbung.md) [ü](&Uuml;bung.md)",
    "[d](dir) [d](dir/) [d](dir/#in-dir) [d](dir#in-dir) [d](index/#index) [d](dir/inner) [d](.) [d](./)",
    "[p](dir/code.py#L3) [p](b.md#L3-L5) [p](#) [p](#top) [p](#TOP) [p](b.md#:~:text=part) [p]()",
    "[w](https://example.org/b#c) [w](mailto:a@b.example) [w](//example.org) <https://example.org> [w](tel:+1)",
    "[w](https:/github.com/a) [t]({{page.root}}/b) [j](javascript:alert(1))",
    "[a](b.md#part-one) [a](b.md#part%2Done)",
    "# Own (part)!\n\n[a](#own-part)",
    "## Dup\n\n## Dup\n\n## Dup-1\n\n[a](#dup) [b](#dup-1) [c](#dup-1-1)",
    "## 🛠️ Setup\n\n[a](#️-setup) [b](#%EF%B8%8F-setup)",
    "## 梯度 分片\n\n## Größe\n\n[a](#梯度-分片) [b](#gr%C3%B6%C3%9Fe) [c](#größe)",
    '<a id="one"></a><a name="two"></a>\n\n| <i id="three"></i> |\n|---|\n\n[1](#one) [2](#two) [3](#three)',
    "<h2 align=center>\n  In <b>HTML</b>\n</h2>\n\n## In HTML\n\n[a](#in-html) [b](#in-html-1)",
    '<img src="dir/inner/a.png" alt=""><a href="b.md#b">b</a>',
    '<img srcset="dir/inner/a.png 1x, /dir/inner/a.png 2x" alt="a">\n\n<div id="x">\n\n[x](#x)\n\n</div>',
    "`[a](no.md)` <!-- [a](no.md) -->\n\n```\n[a](no.md)\n```\n\n    [a](no.md)\n\n$[\\psi](\\mathbf{L})$",
    "<pre>\n[a](no.md)\n</pre>\n\n<script>\nlet a = '<a href=\"no.md\">'\n</script>",
    "[One] [two][one] [one][]\n\n[one]: b.md 'title'",
    "x[0][1] and f(a)[b][c], [ ] [x] [!NOTE] [TOC]",
    "note[^1]\n\n[^1]: see [b](b.md)\n    and more",
    "[a](see there) [a](for one thing, this)",
    "<a name='b'></a>\n## B\n\n<a id=c name=c></a>\n\n[b](#b)",
    "````md\n```python\n```\n````\n\n~~~\n```\n~~~\n\n```\n```x```\n```",
    "| `a\\|b` | c |\n|---|---|\n| `x` | `y` |\n\n`a|b`",
]  # fmt: skip


@pytest.mark.parametrize("content", GOOD)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_what_is_right_is_let_pass(content: str, end: str, tmp_path: Path) -> None:
    assert find(tmp_path, content.replace("\n", end) + end) == []


BAD = [
    ("[b](no.md)", "link-file", "no.md", "`no.md`", None),
    ("[b](dir/b.md)", "link-file", "dir/b.md", "`dir/b.md`", "Did you mean b.md?"),
    ("[b](bb.md)", "link-file", "bb.md", "`bb.md`", "Did you mean b.md?"),
    ("[b](/dir/b.md#x)", "link-file", "/dir/b.md#x", "`dir/b.md`", "Did you mean b.md?"),
    ("[b](b.md/)", "link-file", "b.md/", "is a file", None),
    ("[b](b)", "link-file", "b", "`b`", "Did you mean b.md?"),
    ("[b](dir\\\\code.py)", "link-file", "dir\\\\code.py", "not \\", None),
    ("[b](C:\\x.md)", "link-file", "C:\\x.md", "no file", None),
    ("[b](~/x)", "link-file", "~/x", "`~/x`", None),
    ("[b](b.html)", "link-file", "b.html", "`b.html`", None),
    ("![a b](a.png)", "link-file", "a.png", "`a.png`", "Did you mean dir/inner/a.png?"),
    ("<img src=no.png alt=x>", "link-file", "no.png", "`no.png`", None),
    ("<a title='no.md' href='no.md'>", "link-file", "no.md", "`no.md`", None),
    ("<img alt=x srcset='b.md 1x, no.png 2x'>", "link-file", "no.png", "`no.png`", None),
    ("[a]\n\n[a]: no.md", "link-file", "no.md", "`no.md`", None),
    ("x[^1]\n\n[^1]: [a](no.md)", "link-file", "no.md", "`no.md`", None),
    ("[![a b](dir/inner/a.png)](no.md)", "link-file", "no.md", "`no.md`", None),
    ("[b](B.md)", "link-case", "B.md", "only `b.md`", "Write b.md."),
    ("[b](DIR/code.py)", "link-case", "DIR/code.py", "only `dir/code.py`", "Write dir/code.py."),
    ("[b](../b.md)", "link-root", "../b.md", "out of the repository", None),
    ("[b](/../../b.html)", "link-root", "/../../b.html", "out of the repository", None),
    ("[b](..)", "link-root", "..", "out of the repository", None),
    ("[b](b.md#part)", "link-anchor", "b.md#part", "no `#part` in `b.md`", None),
    ("[b](b.md#part-on)", "link-anchor", "b.md#part-on", "`#part-on`", "Did you mean #part-one?"),
    ("[b](b.md#Part-One)", "link-anchor", "b.md#Part-One", "`#Part-One`", "Write #part-one."),
    ("[b](#b)", "link-anchor", "#b", "in this page", None),
    ("[b](#a?b=1)", "link-anchor", "#a?b=1", "`#a?b=1`", None),
    ("[b](dir/#in)", "link-anchor", "dir/#in", "`dir/README.md`", None),
    ("[b](dir/inner#in)", "link-anchor", "dir/inner#in", "no README.md", None),
    ("## `--config`\n\n[b](#config)", "link-anchor", "#config", "`#config`", "Did you mean #--config?"),
    ("### Details\n\n### Details\n\n[b](#details-2)", "link-anchor", "#details-2", "`#details-2`", None),
    ("## ::\n\n[b](#-)", "link-anchor", "#-", "`#-`", None),
    ("```\n## Code\n```\n[b](#code)", "link-anchor", "#code", "`#code`", None),
    ("    code\n---\n[b](#code)", "link-anchor", "#code", "`#code`", None),
    ("## Half ½ cup\n\n[b](#half-½-cup)", "link-anchor", "#half-½-cup", "`#half-½-cup`", "Did you mean #half--cup?"),
    ("[text][typo]\n\n[type]: b.md\n[type]", "link-label", "[text][typo]", "`[typo]`: did you mean `type`?", None),
    ("![text][pic]", "link-label", "![text][pic]"[1:], "`[pic]`", None),
    ("[^1]: note\n[ref]: b.md\n\n[a][ref] [^1]", "link-label", "[a][ref]", "`[ref]`", None),
    ("text\n\n[a]: b.md", "link-definition", "[a]: b.md", "no link uses `[a]`", None),
    ("[a]\n\n[a]: b.md\n[A]: dir", "link-definition", "[A]: dir", "in line 3 already", None),
    ("[a](not my file.md)", "link-space", "[a](not my file.md)", "a blank", "Write not%20my%20file.md."),
    ("![a](my pic.png)", "link-space", "[a](my pic.png)", "a blank", "Write my%20pic.png."),
    ("x[^2]\n\n[^1]: note", "footnote", "[^2]", "`[^2]:`", None),
    ("![](dir/inner/a.png)", "image-text", "![](dir/inner/a.png)", "`dir/inner/a.png`", None),
    ("<img src='dir/inner/a.png'>", "image-text", "<img src='dir/inner/a.png'>", "`dir/inner/a.png`", None),
    ("<i id=a></i>\n\n<i id=a></i>", "duplicate-id", "a", "in line 1 already", None),
    ("# Top\n\n<i id=top></i>", "duplicate-id", "top", "the heading in line 1", None),
    ("text\n\n```py\n[a](no.md)", "fence-closed", "```py", "opens in line 3 is never closed", None),
    ("```python\n1\n\n```bash\nls\n```", "fence-inside", "```bash", "the one of line 1 is still open", None),
    ("> ```\n> ```bash\n> ```", "fence-inside", "```bash", "the one of line 1", None),
    ("| a | b |\n|---|---|\n| `x|y` | [c](no.md) |", "table-code", "|", "the pipe in `x|y`", None),
    ("| `x|y` | b |\n|---|---|\n| a | b |", "table-code", "|", "the pipe in `x|y`", None),
]  # fmt: skip


@pytest.mark.parametrize(("content", "rule", "shown", "message", "advice"), BAD)
@pytest.mark.parametrize("height", [0, 3, 40])
def test_what_is_wrong_is_found_at_its_place(
    content: str, rule: str, shown: str, message: str, advice: str | None, height: int, tmp_path: Path
) -> None:
    head = "---\n" + "".join(f"k{number}: v\n" for number in range(height - 2)) + "---\n" if height else ""
    message = message.replace("line 1", f"line {height + 1}").replace("line 3", f"line {height + 3}")
    (finding,) = find(tmp_path, head + content)
    lines = (head + content).split("\n")
    assert finding.rule == rule
    assert message in finding.message
    assert finding.line is not None
    assert finding.line > height
    assert lines[finding.line - 1][(finding.column or 0) - 1 : (finding.end_column or 0) - 1] == shown
    if advice is not None:
        assert finding.fix == advice


@pytest.mark.parametrize(
    ("content", "right"),
    [
        ("[b](B.md#b)", "[b](b.md#b)"),
        ("[b](b.md#Part-One)\r\n", "[b](b.md#part-one)\r\n"),
        ("[b][r]\n\n[r]: B.md", "[b][r]\n\n[r]: b.md"),
        ("| `x|y` | b |\n|---|---|\n", "| `x\\|y` | b |\n|---|---|\n"),
        ("[b](DIR/code.py)", "[b](DIR/code.py)"),
        ("[B](B.md 'B.md')", "[B](b.md 'B.md')"),
    ],
)
def test_what_is_safe_is_mended(content: str, right: str, tmp_path: Path) -> None:
    mended, _ = fix(content.encode(), find(tmp_path, content))
    assert mended.decode() == right
    assert fix(mended, find(tmp_path, right))[0] == mended


@pytest.mark.parametrize("dialect", ["kramdown", "pandoc", "mkdocs", "myst"])
def test_site_generators_make_pages_of_markdown(dialect: str, tmp_path: Path) -> None:
    assert find(tmp_path, "[b](b.html#part-one) [d](dir/index.html#in-dir)", dialect) == []
    (finding,) = find(tmp_path, "[b](b.html#part)", dialect)
    assert finding.rule == "link-anchor"


def test_labels_may_come_from_what_a_page_includes(tmp_path: Path) -> None:
    assert find(tmp_path, "[a][b]\n\n{% include links.md %}\n", "kramdown") == []
    assert find(tmp_path, "[a][b]\n\n{% include links.md %}\n")
    assert find(tmp_path, "[a]: b.md\n", "kramdown") == []


def test_myst_targets(tmp_path: Path) -> None:
    assert find(tmp_path, "(target)=\n# Title\n\n[a](#target)\n", "myst") == []


def test_a_link_from_a_folder_below(tmp_path: Path) -> None:
    content = "[b](../b.md#part-one) [c](code.py) [d](/b.md) [e](..)\n"
    assert find(tmp_path, content, path="dir/page.md") == []


def test_a_page_that_cannot_be_read_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "latin.md").write_bytes(b"caf\xe9")
    assert find(tmp_path, "[a](latin.md#x)") == []


def test_a_link_through_a_link_of_the_file_system(tmp_path: Path) -> None:
    (tmp_path / "to").symlink_to(tmp_path / "dir", target_is_directory=True)
    assert find(tmp_path, "[a](to/README.md#in-dir) [b](to)\n") == []
    assert [finding.rule for finding in find(tmp_path, "[a](to/no.md)")] == ["link-file"]


def test_findings_do_not_change_when_other_files_come(tmp_path: Path) -> None:
    before = find(tmp_path, "[a](no.md) [b](b.md#no)")
    (tmp_path / "minified.js").write_text("[a](b)" * 1000)
    assert find(tmp_path, "[a](no.md) [b](b.md#no)") == before


PIECES = [
    "[a](b.md#x)", "![](B.md)", "[a][b]", "[b]: no.md", "[a](b c.md)", "<a id=b href='../../x'>", "[^1]",
    "| `a|b` | c |", "|---|---|", "```", "```py", "~~~", "# B", "> ", "- ", "    ", "\t", "\n", "\r\n", "\n\n", "%",
    "#", "/", "?", "\\", "é", "\u2028", "%00", "%FF",
]  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.lists(st.sampled_from(PIECES) | st.text(st.characters(codec="utf-8"), max_size=3)).map("".join))
def test_any_text_is_judged_and_mending_twice_is_mending_once(content: str, tmp_path: Path) -> None:
    found = find(tmp_path, content)
    text = Text(content)
    for finding in found:
        if finding.rule != "encoding":
            places = finding.line, finding.column, finding.end_line, finding.end_column
            line, column, end_line, end_column = (place or 0 for place in places)
            assert 0 <= text.offset(line, column) < text.offset(end_line, end_column) <= len(content)
    mended = content.encode()
    for _ in range(5):
        mended, count = fix(mended, find(tmp_path, mended.decode()))
        if not count:
            return
    raise AssertionError("mending does not come to an end")

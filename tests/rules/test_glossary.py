"""Terms as a reader takes them: plurals and capitals count, other words, code and headings do not."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.course import Course
from grader.course.library import Library
from grader.course.markdown import read_page
from grader.results import Finding
from grader.rules import rules
from grader.rules.engine import check
from grader.rules.glossary._names import prose, uses

SHARD = "shard"
COURSE = "schema: 1\ntitle: Pieces\ndescription: Keeping them.\n"


def findings(root: Path, rule: str, lesson: str, terms: dict[str, str]) -> list[Finding]:
    """What a rule finds in a course of one lesson, with terms by the name of the file, each ``title | alias | …``."""
    for folder in ("lessons", "glossary"):
        (root / folder).mkdir()
    (root / "course.yml").write_text(COURSE)
    (root / "lessons" / "lesson1.md").write_text(lesson, "utf-8")
    for id, names in terms.items():
        title, *aliases = names.split(" | ")
        content = f'---\ntitle: "{title}"\ntype: term\naliases: [{", ".join(aliases)}]\n---\n\nSee [it]({id}.md).\n'
        (root / "glossary" / f"{id}.md").write_text(content, "utf-8")
    library = Library(root, Course.read(root / "course.yml"))
    return list(check(library, [rules()[rule]]))


@pytest.mark.parametrize(
    ("names", "text", "used"),
    [
        (SHARD, "Many shards.", "shards"),
        (SHARD, "Shards are small.", "Shards"),
        (SHARD, "SHARD it.", None),
        (SHARD, "It is sharded.", None),
        (SHARD, "A shard-like piece, and resharded.", None),
        (SHARD, "A `shard` and ``a `shard` ``.", None),
        (SHARD, "```\nshard\n```\n\n    shard\n", None),
        (SHARD, "### The shard\n", None),
        (SHARD, "<!-- shard --> <b title='shard'>x</b>", None),
        (SHARD, "[what a shard is](https://example.org/)", None),
        (SHARD, "![a shard](shard.png)", None),
        (SHARD, "> | a | b |\n> |---|---|\n> | c | shard |", "shard"),
        (SHARD, "- [ ] a\n  shard", "shard"),
        (SHARD, "[shards](../glossary/a.md), shard", None),
        (SHARD, "A shard, and [shard](../glossary/a.md).", "shard"),
        (SHARD, "A [shard][s].\n\n[s]: ../glossary/a.md\n", None),
        ("all-gather | all gather", "Two all\ngathers.", "all\ngathers"),
        ("copy", "Copies.", "Copies"),
        ("key", "Keys and keies.", "Keys"),
        ("batch", "Batches.", "Batches"),
        ("IN", "Written in words.", None),
        ("IN", "As IN does.", "IN"),
        ("FSDP | fully sharded data parallel", "Fully sharded data parallel", "Fully sharded data parallel"),
        ("MySQL", "A mysql.", None),
        ("C++", "In C++, too.", "C++"),
        ("Ψ", "All Ψ of them.", "Ψ"),
        (" - ", "A - b.", None),
    ],
)
def test_a_first_use(names: str, text: str, used: str | None, tmp_path: Path) -> None:
    lesson = f"## Warm-up\n\n{text}\n\n## Know this\n\n{text}\n\n## Practice\n\n{text}\n"
    found = findings(tmp_path, "term-first-use", lesson, {"a": names})
    if used is None:
        assert found == []
        return
    (finding,) = found
    assert f'"{used}"' in finding.message
    assert finding.fix == f"Write: [{' '.join(used.split())}](../glossary/a.md)"
    assert finding.line is not None
    assert finding.column is not None
    line = lesson.splitlines()[finding.line - 1]
    assert line[finding.column - 1 :].startswith(used.split("\n")[0])
    assert finding.line > lesson.splitlines().index("## Know this") + 1


def test_of_names_inside_each_other_the_longest_is_used(tmp_path: Path) -> None:
    lesson = "## Know this\n\nA root unit, then a unit, then [a root unit](../glossary/b.md).\n"
    found = findings(tmp_path, "term-first-use", lesson, {"a": "unit", "b": "root unit"})
    assert [(each.message.split(" is")[0], each.column) for each in found] == [('"root unit"', 3), ('"unit"', 21)]


def test_a_page_of_either_term_explains_a_name_of_two(tmp_path: Path) -> None:
    lesson = "## Know this\n\n[Stages](../glossary/b.md) and stages.\n"
    assert findings(tmp_path, "term-first-use", lesson, {"a": "stage", "b": "stage"}) == []


@pytest.mark.parametrize(
    ("text", "unused"),
    [
        ("Many shards.", False),
        ("Many [pieces](../glossary/a.md).", False),
        ("In `shard` only.", True),
        ("Other words.", True),
    ],
)
def test_an_unused_term(text: str, unused: bool, tmp_path: Path) -> None:
    found = findings(tmp_path, "term-unused", f"## Practice\n\n{text}\n", {"a": SHARD})
    assert [finding.path for finding in found] == (["glossary/a.md"] if unused else [])


@pytest.mark.parametrize(
    ("one", "other", "clash"),
    [
        ("MySQL", "mysql", True),
        ("all-gather", "gather | all gather", True),
        ("shard | piece", "part | Piece", True),
        ("all-gather | all gather", "gather", False),
        ("shard", "shards", False),
    ],
)
def test_a_name_of_two_terms(one: str, other: str, clash: bool, tmp_path: Path) -> None:
    found = findings(tmp_path, "term-twice", "", {"a": one, "b": other})
    assert len(found) == clash
    for finding in found:
        assert finding.path == "glossary/b.md"
        assert "glossary/a.md, line " in finding.message


@given(st.text(st.sampled_from("aA sS-\n`<>[]()#İß"), max_size=40), st.text("aAsSß-y ", min_size=1, max_size=6))
def test_any_text_and_any_name(text: str, name: str) -> None:
    if not name.strip(" -"):
        return
    page = read_page("lessons/lesson1.md", text.encode())
    last = page.text.position(len(page.text.content))[0]
    kept = prose(page, 1, last)
    assert len(kept) == len(page.text.content)
    assert all(one in (other, "\0") for one, other in zip(kept, page.text.content, strict=True))
    places = [place for start, end, _ in uses(text, {name: frozenset()}) for place in (start, end)]
    assert places == sorted(places)

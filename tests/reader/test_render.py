"""Pages in the terminal: example pages as files, the lessons at every width, and any text at all."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from grader.course import Course
from grader.course.lesson import Lesson
from grader.course.markdown import read_page
from grader.course.page import Page
from grader.reader import Options, fragment, render

ROOT = Path(__file__).parents[2]
CASES = sorted((ROOT / "tests" / "cases" / "pages").glob("*.md"))
LESSONS = Course.read(ROOT / "course.yml").lessons()
WIDTHS = [0, 60, 72, 80, 100, 120, 200]
SOME = Path("/course")
LINK = re.compile(r"\x1b\]8;(?:id=[^;]*)?;([^\x1b]*)\x1b\\")
STYLE = re.compile(r"\x1b\[([\d;]*)m")


def page(markdown: str, path: str = "lessons/lesson1.md") -> Page:
    return read_page(path, markdown.encode())


def shown(markdown: str, **options: object) -> str:
    return render(page(markdown), Options(**{"root": SOME, "links": "plain"} | options))  # type: ignore[arg-type]


def bare(text: str) -> str:
    """A text without what a terminal acts on."""
    return STYLE.sub("", LINK.sub("", text))


@pytest.mark.parametrize("file", CASES, ids=lambda file: file.stem)
@pytest.mark.parametrize("answers", [False, True], ids=["folded", "unfolded"])
def test_a_page_is_shown_as_beside_it(file: Path, answers: bool) -> None:
    found = read_page(f"lessons/{file.name}", file.read_bytes())
    expected = file.with_suffix(".unfolded.txt" if answers else ".txt")
    expected = expected if expected.exists() else file.with_suffix(".txt")
    assert render(found, Options(SOME, width=60, answers=answers)) == expected.read_text("utf-8")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.id)
def test_a_lesson_fits_every_width(lesson: Lesson, width: int) -> None:
    for styled in (False, True):
        options = Options(SOME, width=width, styled=styled, colour=styled, links="plain", answers=True)
        lines = bare(render(lesson.page, options)).splitlines()
        assert max(map(cell_len, lines)) <= max(60, min(width, 100))
        assert all(line == line.rstrip() for line in lines) or styled


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.id)
def test_no_word_of_a_lesson_is_lost(lesson: Lesson) -> None:
    whole = render(lesson.page, Options(SOME, width=100, links="plain", answers=True))
    words = {
        word
        for block in lesson.page.tokens
        for token in block.children or ()
        if token.type in ("text", "code_inline")
        for word in re.findall(r"[\w.,]+", token.content)
    }
    assert len(words) > 300
    assert {word for word in words if word not in whole} == set()


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.id)
def test_answers_are_folded_until_asked_for(lesson: Lesson) -> None:
    folded, unfolded = (render(lesson.page, Options(SOME, links="plain", answers=each)) for each in (False, True))
    assert folded.count("▸ Answer") == unfolded.count("▾ Answer") == len(lesson.questions)
    for said in ("Model answer.", "Answer: "):
        assert said not in folded
        assert said in unfolded


def test_links_can_be_followed() -> None:
    text = "[out](https://example.org/a?b=c#d), [in](../glossary/a%20b.md#part), [here](#part), <mail@example.org>"
    live = shown(text, styled=True, links="live")
    assert [target for target in LINK.findall(live) if target] == [
        "https://example.org/a?b=c#d",
        "file:///course/glossary/a%20b.md#part",
        "mailto:mail@example.org",
    ]
    assert bare(live) == "out, in, here, mail@example.org\n"
    assert not LINK.search(shown(text, styled=True, links="listed"))


def test_a_figure_leads_to_its_file() -> None:
    live = shown("![It rises](figures/a.svg)", styled=True, links="live")
    assert [target for target in LINK.findall(live) if target] == ["file:///course/lessons/figures/a.svg"]
    assert bare(live) == "│ Figure: It rises\n"


def test_listed_links_are_never_broken() -> None:
    address = "https://example.org/" + "long/" * 30
    listed = shown(f"[text]({address})", links="listed")
    assert f"\n  {address}\n" in listed


def test_without_colour_a_terminal_still_shows_what_is_bold() -> None:
    text = "# Title\n\n**bold** [link](https://example.org) `code`\n"
    colours = {code for codes in STYLE.findall(shown(text, styled=True, colour=True)) for code in codes.split(";")}
    none = {code for codes in STYLE.findall(shown(text, styled=True)) for code in codes.split(";")}
    assert {"1", "4", "35", "36", "32"} <= colours
    assert {"1", "4"} <= none <= {"", "0", "1", "2", "3", "4"}
    assert "\x1b" not in shown(text)


def test_a_fragment_has_the_definitions_of_its_page() -> None:
    whole = page("A [link][there].\n\n[there]: <a page.md>\n")
    found = fragment(whole, "Another [link][there].")
    assert (
        render(found, Options(SOME))
        == "Another link.\n\n\nLinks\n─────\n\nlink                          lessons/a page.md\n"
    )


BLOCKS = ["# ", "- ", "1. ", "> ", "    ", "\n", "\n\n", "|", "|--|", "```\n", "---\n", "- [ ] ", "a) ", "[^1]: "]
HTML = ["<a>", "<details>\n", "</details>\n", "<summary>", "</summary>", "<img alt=x src=y>", "&amp;", "<br>", "<!--"]
LINES = [
    "`",
    "*",
    "**",
    "[a](",
    "](",
    "![",
    ")",
    "[^1]",
    "$",
    "~~",
    "word ",
    "図",
    "é",
    "\u200b",
    "\x1b[31m",
    "\r",
    "\t",
]
PRINTED = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
MARKS = st.sampled_from([*BLOCKS, *HTML, *LINES])


@given(st.lists(MARKS | st.text(PRINTED, max_size=8), max_size=40).map("".join), st.integers(60, 100), st.booleans())
def test_any_text_is_shown(text: str, width: int, answers: bool) -> None:
    found = shown(text, width=width, answers=answers)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e]", found)
    assert max(map(cell_len, found.split("\n"))) <= width

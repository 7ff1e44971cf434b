"""``course import``: a draft becomes a lesson file, nothing is lost, and what is left to do is said with its line."""

from __future__ import annotations

import importlib
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.course import Course
from grader.course.lesson import SECTIONS
from grader.course.library import Library

TESTS = Path(__file__).parents[1]
SMALL = TESTS / "cases" / "small_course"
DRAFT = TESTS / "cases" / "drafts" / "lesson10.txt"
COMMAND = importlib.import_module("grader.cli.import")


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "small"
    shutil.copytree(SMALL, root)
    shutil.copy(DRAFT, root / "draft.txt")
    monkeypatch.chdir(root)
    return root


def library(root: Path) -> Library:
    return Library(root, Course.read(root / "course.yml"))


def test_a_draft_becomes_a_lesson(run: Any, small: Path) -> None:
    result = run("import", "draft.txt", "--output", "lessons/lesson4.md")
    assert (result.code, result.err) == (0, "")
    lesson = library(small).lessons["lesson4"]
    assert (lesson.title, lesson.order) == ("ZeRO Stage 3 and FSDP: Partitioning Parameters Too", 10)
    assert lesson.description == "Each device keeps a piece: the rest is gathered."
    assert lesson.page.headings[0].text == "Lesson 10. ZeRO Stage 3 and FSDP: Partitioning Parameters Too"
    assert tuple(section.title for section in lesson.sections) == SECTIONS
    assert len(lesson.objectives) == 2
    assert [(each.id, each.answer and each.answer.kind) for each in lesson.questions] == [
        ("warm-up-1", "model"),
        ("practice-1", "value"),
        ("practice-2", "choice"),
    ]
    assert [each.right for each in lesson.practice[1].choices] == [False, True, None]
    assert lesson.practice[1].choices[1].text == "A device computes with\nwhole layers."
    assert [(each.day, each.minutes, each.done_when) for each in lesson.reps] == [
        ("Now", 10, "you have one."),
        ("Tomorrow", 15, "read."),
    ]
    link = "https://example.org/calendar/issues/new?template=lesson-defect.yml&place=lesson4"
    assert link in [each.target for each in lesson.page.links]
    assert (small / "draft.txt").read_bytes() == DRAFT.read_bytes()


def test_what_is_left_to_do_is_said_with_its_line(run: Any, small: Path) -> None:
    result = run("import", "draft.txt", "--output", "lessons/lesson4.md")
    assert result.out.startswith("Left to do in lessons/lesson4.md:\n  line 2: `source` is missing: the primary source")
    assert result.out.endswith("\n\nNext   mend these, then course check lessons/lesson4.md\n")
    for line in result.out.splitlines():
        if line.startswith("  line "):
            number = int(line.split()[1].rstrip(":"))
            assert 1 <= number <= len((small / "lessons" / "lesson4.md").read_text("utf-8").splitlines())


def test_a_lesson_that_is_whole_stays_as_it_is(run: Any, small: Path) -> None:
    result = run("import", "lessons/lesson1.md")
    assert (result.code, result.err) == (0, "Nothing is left to do in the lesson.\n")
    assert result.out == (small / "lessons" / "lesson1.md").read_text("utf-8")


@pytest.mark.parametrize("output", ["draft.txt", "lessons/lesson1.md"])
def test_nothing_is_overwritten_without_being_told(output: str, run: Any, small: Path) -> None:
    before = (small / output).read_bytes()
    result = run("import", "draft.txt", "--output", output)
    assert result.code == 2
    assert f"{output} is there already. Nothing was written" in result.err
    assert (small / output).read_bytes() == before
    assert run("import", "draft.txt", "--output", output, "--overwrite").code == 0
    assert (small / output).read_bytes().startswith(b"---\ntitle: ")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"title: caf\xe9\n", "byte 0xE9 is not UTF-8"),
        (b"\xff\xfet\x00", "the text is UTF-16"),
        (b"a\x00b", "a NUL character"),
        (None, "cannot be read: Is a directory"),
    ],
)
def test_what_cannot_be_read_is_refused(content: bytes | None, message: str, run: Any, small: Path) -> None:
    draft = small / "bad.txt"
    if content is None:
        draft.mkdir()
    else:
        draft.write_bytes(content)
    result = run("import", "bad.txt", "--output", "out.md")
    assert result.code == 2
    assert message in " ".join(result.err.split())
    assert not (small / "out.md").exists()


def test_a_rule_mends_nothing_that_would_lose_a_word(run: Any, small: Path) -> None:
    (small / "draft.txt").write_text("title: Easter\norder: 4\n\n# Lesson 5. The Moon\n\nText.\n")
    result = run("import", "draft.txt")
    assert "\n# Lesson 5. The Moon\n" in result.out
    assert 'the heading must be "# Lesson 4. Easter"' in result.err


LINES = st.sampled_from(
    [
        "title: 10. ZeRO: More", "title: @home", "description: a #b", "order: 010", "prerequisites: [a\uff0c b",
        "- **Mission:** mine", "• Mission: ours", "# Lesson 3. Other", "In this lesson you can:", "", *SECTIONS,
        "[report it](https://example.org/other)", "1. What?", "a) One.", "Answer: a",
        "▢ Now, 5 min. Go. Done when gone.",
    ]
)  # fmt: skip


@given(st.lists(LINES | st.text("ab:#-*[]()<>`1. \n", max_size=20), max_size=20))
def test_no_word_is_lost_when_rules_mend(lines: list[str]) -> None:
    draft = "\n".join(lines)
    made, _ = COMMAND.finished("lesson9", draft, library(SMALL))
    assert COMMAND.words(draft) <= COMMAND.words(made.decode())

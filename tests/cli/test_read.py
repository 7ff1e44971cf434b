"""``course read``: in a terminal with its pager, and piped."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from .terminal import in_terminal

ROOT = Path(__file__).parents[2]
READ = ["read", "lesson10"]
LAST_SECTION = "Not landing?"


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def test_piped_it_is_plain_text(run: Any, here: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "70")
    result = run(*READ)
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[0] == "Lesson 10. ZeRO Stage 3 and FSDP: Partitioning Parameters Too"
    assert "\x1b" not in result.out
    assert 60 < max(map(len, lines[: lines.index("Links")])) <= 70
    assert "https://arxiv.org/abs/1910.02054" in result.out
    assert lines[-1] == "Answers   course read lesson10 --answers"


def test_answers_are_shown_when_asked_for(run: Any, here: None) -> None:
    folded, unfolded = run(*READ).out, run(*READ, "--answers").out
    assert "Answer: 96 bytes" not in folded
    assert "Answer: 96 bytes" in unfolded
    assert "--answers" not in unfolded


@pytest.mark.parametrize("name", ["lesson10.md", "lessons/lesson10.md"])
def test_a_lesson_may_be_named_by_its_file(run: Any, here: None, name: str) -> None:
    assert run("read", name).out == run(*READ).out


def test_a_lesson_that_does_not_exist(run: Any, here: None) -> None:
    result = run("read", "lesson1")
    assert result.code == 2
    assert "no lesson is called 'lesson1'. Did you mean lesson10?" in result.err


def test_a_lesson_that_is_broken_says_where(run: Any, root: Path) -> None:
    (root / "lessons").mkdir()
    (root / "lessons" / "lesson1.md").write_text("---\ntitle: One\n---\n\n# One\n")
    result = run("read", "lesson1")
    assert result.code == 3
    assert "lesson1.md:2:1: `description` is missing" in result.err


def test_a_terminal_has_colour_and_links_and_no_pager_if_not_wanted(here: None) -> None:
    code, shown = in_terminal([*READ, "--no-pager"], folder=ROOT, columns=120, environment={"VTE_VERSION": "7600"})
    assert code == 0
    assert "\x1b[1;35mLesson 10." in shown
    assert f";file://{ROOT}/glossary/all-gather.md\x1b\\" in shown
    assert LAST_SECTION in shown
    assert "\nLinks\n" not in shown


def test_a_terminal_without_colour_and_links(here: None) -> None:
    code, shown = in_terminal([*READ, "--no-pager"], folder=ROOT, environment={"NO_COLOR": "1"})
    assert code == 0
    assert "\x1b[1mLesson 10." in shown
    assert "\x1b]8" not in shown
    assert not re.search(r"\x1b\[(\d+;)*(3[1-7]|9\d)m", shown)


def test_a_dumb_terminal_gets_plain_text(here: None) -> None:
    code, shown = in_terminal([*READ, "--no-pager"], folder=ROOT, environment={"TERM": "dumb", "VTE_VERSION": "7600"})
    assert code == 0
    assert "\x1b" not in shown


def test_a_long_lesson_is_paged(here: None) -> None:
    code, shown = in_terminal(READ, [("After this lesson", " "), ("Warm-up", "q")], folder=ROOT)
    assert code == 0
    assert "\x1b[1;35mLesson 10." in shown
    assert LAST_SECTION not in shown


def test_a_pager_that_takes_no_colours_gets_none(here: None) -> None:
    code, shown = in_terminal(READ, folder=ROOT, environment={"PAGER": "head -n 5", "VTE_VERSION": "7600"})
    assert code == 0
    assert shown.startswith("Lesson 10.")
    assert "Warm-up" not in shown


def test_a_pager_that_does_not_exist_is_none(here: None) -> None:
    code, shown = in_terminal(READ, folder=ROOT, environment={"PAGER": "no-such-pager"})
    assert code == 0
    assert LAST_SECTION in shown

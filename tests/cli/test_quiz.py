"""``course quiz``: piped, and in a terminal where somebody types and leaves."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from grader.cli._progress import keep, load
from grader.course import Course

from .terminal import in_terminal

ROOT = Path(__file__).parents[2]
LESSON = Course.read(ROOT / "course.yml").lesson("lesson10")
KINDS = {question.id: question.answer.kind for question in LESSON.questions if question.answer}
CHOICE = next(question for question in LESSON.practice if question.choices)


def typed(*lines: str) -> io.TextIOWrapper:
    """What is piped into a command."""
    return io.TextIOWrapper(io.BytesIO("".join(f"{line}\n" for line in lines).encode()))


@pytest.fixture
def quiz(run: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run ``course quiz lesson10`` with options, and with lines that are piped in."""

    def quiz(lines: list[str], *options: str) -> Any:
        monkeypatch.chdir(ROOT)
        monkeypatch.setattr(sys, "stdin", typed(*lines))
        return run("quiz", "lesson10", *options)

    return quiz


def results() -> dict[str, str]:
    """What is kept of each question, by its id."""
    return {event.item.partition("#")[2]: event.result for event in load().events}


def right_lines() -> list[str]:
    """What to type for a right answer to every question."""
    lines = []
    for question in LESSON.questions:
        assert question.answer is not None
        lines += ["", "y"] if question.answer.kind == "model" else [question.answer.given.partition(" or ")[0]]
    return lines


def test_every_question_is_asked_and_every_answer_kept(quiz: Any) -> None:
    result = quiz(right_lines())
    assert (result.code, result.err) == (0, "")
    assert results() == dict.fromkeys(KINDS, "right")
    assert f"{len(KINDS)} of {len(KINDS)} right." in result.out
    assert [event.item for event in load().events] == [f"lesson10#{question.id}" for question in LESSON.questions]


@pytest.mark.parametrize("option", ["--warm-up", "--practice"])
def test_a_part_is_asked(quiz: Any, option: str) -> None:
    result = quiz(["", "n"] * len(LESSON.questions), option)
    part = LESSON.warm_up if option == "--warm-up" else LESSON.practice
    assert f"(1 of {len(part)})" in result.out
    assert set(results()) <= {question.id for question in part}


def test_each_choice_has_its_reason_after_the_answer(quiz: Any) -> None:
    for question in LESSON.practice:
        if question.id != CHOICE.id:
            keep("answered", f"lesson10#{question.id}", "right")
    result = quiz(["e", "a"], "--practice")
    asked, again, said = result.out.partition("Type a, b, c or d.")[0], "Type a, b, c or d.", result.out
    assert result.code == 0
    assert said.count(again) == 1
    assert "Answer: c" not in asked
    assert "Not right.\n│ Answer: c" in said
    for choice in CHOICE.choices:
        assert choice.reason is not None
        assert f"│   {choice.letter}) {'Yes' if choice.right else 'No'}. {choice.reason[:20]}" in said
    assert results()[CHOICE.id] == "wrong"


def test_a_number_needs_its_unit_and_may_be_off_by_the_tolerance(quiz: Any) -> None:
    for question in LESSON.practice:
        if question.id != "bytes-7b":
            keep("answered", f"lesson10#{question.id}", "right")
    result = quiz(["1.875", "1.74 GiB"], "--practice")
    assert "In which unit?" in result.out
    assert "Right." in result.out
    assert results()["bytes-7b"] == "right"


def test_who_does_not_know_is_told(quiz: Any) -> None:
    result = quiz([""] * 20, "--practice")
    assert "This is the answer:\n│ Answer: 32" in result.out
    assert results()["factor-32"] == "wrong"


def test_an_open_question_is_judged_by_the_learner(quiz: Any) -> None:
    result = quiz(["my answer", "y", "", "n", "", "perhaps", "y"], "--warm-up")
    assert result.code == 0
    assert list(results().values()) == ["right", "wrong", "right"]
    assert result.out.count("│ Model answer.") == 3


def test_what_ends_early_keeps_what_was_answered_and_goes_on_from_there(quiz: Any) -> None:
    first = quiz(["", "y"])
    assert first.code == 130
    assert "Stopped. 1 of 1 right." in first.out
    assert "Go on  course quiz lesson10" in first.out
    assert len(results()) == 1
    second = quiz(right_lines()[2:])
    assert second.code == 0
    assert f"(1 of {len(KINDS) - 1})" in second.out
    assert len(load().events) == len(KINDS)


def test_when_all_were_answered_all_are_asked_again(quiz: Any) -> None:
    quiz(right_lines())
    assert f"(1 of {len(KINDS)})" in quiz([]).out


def test_any_bytes_may_be_piped_in(progress: Path) -> None:
    program = "from grader.cli import main; main()"
    ended = subprocess.run(
        [sys.executable, "-c", program, "quiz", "lesson10", "--practice"],
        input=b"\xff\xfe\x00\x1b[2J\n\n",
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": "utf-8:strict"},
        capture_output=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (130, b"")
    assert ended.stdout.count(b"Type a number") == 1
    assert b"\x1b" not in ended.stdout
    assert list(results().values()) == ["wrong"]


@pytest.mark.parametrize("key", ["\x03", "\x04"], ids=["ctrl-c", "ctrl-d"])
def test_who_leaves_a_terminal_keeps_what_was_answered(key: str) -> None:
    code, shown = in_terminal(
        ["quiz", "lesson10", "--practice"],
        [("do not know): ", "32x\n"), ("2 of 10", ""), ("do not know): ", key)],
        folder=ROOT,
        columns=100,
    )
    assert code == 130
    assert "\x1b[32m\x1b[1mRight.\x1b[0m" in shown
    assert shown.endswith(
        "\n\nStopped. 1 of 1 right. Each comes back when it is due: course review\nGo on  course quiz lesson10\n"
    )
    assert results() == {"factor-32": "right"}


def test_a_terminal_without_colour() -> None:
    _, shown = in_terminal(
        ["quiz", "lesson10", "--practice"],
        [("do not know): ", "31\n"), ("2 of 10", ""), ("do not know): ", "\x04")],
        folder=ROOT,
        environment={"TERM": "dumb"},
    )
    assert "\nNot right.\n" in shown
    assert "\x1b[3" not in shown
    assert results() == {"factor-32": "wrong"}

"""The report for the log of a GitHub workflow, read as strictly as the runner reads it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

import pytest
from hypothesis import given

from grader.report import Options
from grader.results import Grade
from tests.report.grades import NAMES, TEXTS, load, rendered, written

FOLDER = Options(folder="exercises/lesson10")
COMMAND = re.compile(r"::(error|notice)(?: ((?:file|line|title)=[^:,]*(?:,(?:file|line|title)=[^:,]*)*))?::(.*)")


class Command(NamedTuple):
    name: str
    properties: dict[str, str]
    message: str


def unescaped(text: str) -> str:
    assert not re.search("%(?!25|0A|0D|3A|2C)", text)
    for code in ("0A", "0D", "3A", "2C", "25"):
        text = text.replace(f"%{code}", chr(int(code, 16)))
    return text


def read(report: str) -> tuple[list[Command], list[str]]:
    """The commands of what a step printed, and its other lines."""
    commands, lines = [], []
    for line in report.splitlines():
        if line.lstrip().startswith("::"):
            found = COMMAND.fullmatch(line)
            assert found is not None, line
            pairs = [pair.partition("=") for pair in (found[2] or "").split(",") if pair]
            properties = {key: unescaped(value) for key, _, value in pairs}
            commands.append(Command(found[1], properties, unescaped(found[3])))
        else:
            assert "##[" not in line
            lines.append(line)
    return commands, lines


def shown(grade: Grade) -> tuple[list[Command], list[str]]:
    return read(rendered(grade, "github", FOLDER))


@pytest.mark.parametrize("name", NAMES)
def test_an_annotation_for_each_visible_failure(name: str) -> None:
    grade = load(name)
    commands, _ = shown(grade)
    failed = [
        each
        for each in grade.criteria
        if each.status in ("failed", "timeout", "error") and each.visibility == "visible"
    ]
    errors = [command for command in commands if command.name == "error"]
    assert [error.properties["title"] for error in errors] == [f"{each.function}: {each.title}" for each in failed]
    for error, criterion in zip(errors, failed, strict=True):
        if criterion.where is not None and criterion.status != "error":
            assert error.properties["file"] == f"exercises/lesson10/{criterion.where.file}"
            assert error.properties["line"] == str(criterion.where.line)
    assert len([command for command in commands if command.name == "notice"]) == len(grade.notes)


def test_it_is_at_the_learners_line_and_says_what_the_report_says() -> None:
    commands, lines = shown(load("mixed"))
    assert commands[0].properties == {
        "file": "exercises/lesson10/gather.py", "line": "12", "title": "gather: a size that does not divide evenly",
    }  # fmt: skip
    assert "called    gather(local, shape=(5, 3), group), on 4 ranks\nexpected  one all-gather" in commands[0].message
    assert lines == [
        "lesson10: 41 of 100 points",
        "44 criteria: 19 passed, 3 failed, 6 blocked, 16 not written yet. 0.58 s, seed 1.",
        "Next: fix gather, a size that does not divide evenly (gather.py, line 12), "
        "then course grade exercises/lesson10 --only gather",
    ]


def test_a_failure_at_no_line_is_in_the_functions_file() -> None:
    grade = load("mixed")
    criteria = tuple(replace(criterion, where=None) for criterion in grade.criteria)
    assert shown(replace(grade, criteria=criteria))[0][0].properties["file"] == "exercises/lesson10/gather.py"


def test_a_fault_of_the_suite_is_at_no_line_of_the_learners() -> None:
    (error,) = shown(load("suite-error"))[0]
    assert "file" not in error.properties
    assert "the suite is broken here, not your code" in " ".join(error.message.split())


def test_a_message_is_no_longer_than_github_takes() -> None:
    commands, _ = shown(written("x" * 290 + "\n" + "\n".join(["y" * 290] * 30)))
    assert max(len(command.message) for command in commands) < 4096
    assert "characters left out ..." in commands[0].message


@given(TEXTS)
def test_any_text_of_a_learner_gives_the_same_commands(text: str) -> None:
    commands, lines = shown(written(text))
    expected, others = shown(written("x"))
    assert [command.name for command in commands] == [command.name for command in expected]
    assert [command.properties["title"] for command in commands if command.name == "error"] == [
        command.properties["title"] for command in expected if command.name == "error"
    ]
    assert len(lines) == len(others)

"""The command line as a whole: what it imports, how it fails, what it says without a command."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest

import grader.runner
from grader import __version__
from grader.cli import course


def test_help_has_a_line_for_every_command(run: Any) -> None:
    result = run("--help")
    assert result.code == 0
    said = " ".join(result.out.split())
    names = course.list_commands(click.Context(course))
    assert {"grade", "hint", "reset", "start"} <= set(names)
    for name in names:
        docstring = import_module(f"grader.cli.{name}").__doc__
        assert docstring is not None
        assert f" {name} {docstring.splitlines()[0]}" in said


def test_version(run: Any) -> None:
    assert run("--version").out == f"course {__version__}\n"


@pytest.mark.parametrize("arguments", [["grad"], ["_here"], ["grade"], ["grade", "--sed", "1", "."], ["--verson"]])
def test_wrong_usage_ends_with_2(run: Any, root: Path, arguments: list[str]) -> None:
    result = run(*arguments)
    assert result.code == 2
    assert "Error: " in result.err
    assert "Traceback" not in result.err


def test_a_grader_fault_is_told_with_the_authors_line(run: Any, fake: Any, work: Path) -> None:
    fault: Any = grader.runner.GraderFault
    fake.fault = fault("NameError: shapes", "suites/lesson9/test_shard.py", 12, "in test_even\nshapes")
    result = run("grade", work)
    assert result.code == 3
    assert "suites/lesson9/test_shard.py:12: NameError: shapes" in result.err
    assert "There is no score." in result.err
    assert result.out == ""


def test_a_broken_manifest_is_told_with_the_authors_line(run: Any, work: Path) -> None:
    manifest = work / "exercise.yml"
    manifest.write_text(manifest.read_text().replace("summary: Two functions.", "sumary: Two functions."))
    result = run("grade", work)
    assert result.code == 3
    assert "exercise.yml:3:1: unknown key `sumary`: did you mean `summary`?" in result.err
    assert result.out == ""


def test_anything_unforeseen_is_the_graders_fault_without_a_traceback(
    run: Any, fake: Any, work: Path, state: Path
) -> None:
    fake.fault = KeyError("\ud83d")
    result = run("grade", work)
    assert result.code == 3
    assert "This is a fault of the grader, not of your work: KeyError" in result.err
    assert "Traceback" not in result.err
    assert "Traceback" in (state / "fault.txt").read_text()


def test_an_interrupt_stops_quietly(run: Any, fake: Any, work: Path) -> None:
    fake.fault = KeyboardInterrupt()
    result = run("grade", work)
    assert result.code == 130
    assert result.err.strip() == "Stopped."


def test_bare_course_in_a_course_names_its_exercises(run: Any, work: Path) -> None:
    result = run()
    assert result.code == 0
    assert "lesson9  Two functions: 1 of 2 functions written" in result.out
    assert result.out.endswith("Next   course grade exercises/lesson9\n")


def test_bare_course_in_an_exercise_says_what_is_next(run: Any, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(work)
    result = run()
    assert "  shard   written\n  gather  not written yet\n" in result.out
    assert "Next   write gather in gather.py, then\n       course grade . --only gather\n" in result.out
    (work / "gather.py").write_text("def gather():\n    return 1\n")
    assert run().out.endswith("Next   course grade .\n")

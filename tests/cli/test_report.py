"""``course report``: the form of a defect, with the place in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SMALL = Path(__file__).parents[1] / "cases" / "small_course"
FORM = "https://example.org/calendar/issues/new?template=lesson-defect.yml&place="


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course, with the current folder inside it."""
    root = tmp_path / "small"
    shutil.copytree(SMALL, root)
    monkeypatch.chdir(root / "lessons")
    return root


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        (["lesson2"], "lesson2"),
        (["lesson2#remainders"], "lesson2%23remainders"),
        (["lesson2#common-step"], "lesson2%23common-step"),
        (["lesson2", "--section", "Know this"], "lesson2%23know-this"),
        (["lesson2", "--section", "round again"], "lesson2%23round-again"),
        (["lesson2", "--section", "not-landing"], "lesson2%23not-landing"),
        (["lesson2", "--question", "was-1900-leap"], "lesson2%23was-1900-leap"),
    ],
)
def test_the_place_is_filled_in(arguments: list[str], place: str, run: Any, small: Path) -> None:
    result = run("report", *arguments)
    assert (result.code, result.out, result.err) == (0, f"{FORM}{place}\n", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["leson2"], "no lesson is called 'leson2'. Did you mean lesson2?"),
        (["mission"], "no lesson is called 'mission'. There are: lesson1, lesson2, lesson3."),
        (["lesson2#remainder"], "lesson2 has nothing called 'remainder'. Did you mean remainders?"),
        (["lesson2", "--section", "Know That"], "lesson2 has no section 'Know That'. Did you mean Know this?"),
        (["lesson2", "--question", "was-1900-lean"], "'was-1900-lean'. Did you mean was-1900-leap?"),
        (["lesson2", "--question", "your-birthday"], "lesson2 has no question 'your-birthday'."),
        (["lesson2#remainders", "--section", "Practice"], "a report is about one place"),
        (["lesson2", "--section", "Practice", "--question", "common-step"], "a report is about one place"),
    ],
)
def test_a_wrong_name_is_answered_by_the_nearest(arguments: list[str], message: str, run: Any, small: Path) -> None:
    result = run("report", *arguments)
    assert (result.code, result.out) == (2, "")
    assert message in " ".join(result.err.split())


@pytest.mark.parametrize("report", ["", "report: https://example.org/new"])
def test_a_course_without_a_tracker_says_so(report: str, run: Any, small: Path) -> None:
    (small / "course.yml").write_text(f"schema: 1\ntitle: A\ndescription: B\n{report}\n")
    result = run("report", "lesson2")
    assert result.code == 3
    assert "`report:` must be the address of the tracker, with {place}" in result.err


def opened(browser: str, small: Path) -> subprocess.CompletedProcess[str]:
    command = [Path(sys.executable).with_name("course"), "report", "lesson2", "--open"]
    environment = {"PATH": "/nowhere", "BROWSER": browser, "HOME": os.environ.get("HOME", "/")}
    return subprocess.run(command, cwd=small, env=environment, capture_output=True, text=True, check=False)


def test_the_browser_opens_the_form(small: Path, tmp_path: Path) -> None:
    browser, asked = tmp_path / "browser", tmp_path / "asked"
    browser.write_text(f'#!/bin/sh\necho "$1" > {asked}\n')
    browser.chmod(0o755)
    ended = opened(f"{browser} %s", small)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, f"{FORM}lesson2\n", "")
    assert asked.read_text() == ended.stdout


def test_without_a_browser_the_address_is_printed(small: Path) -> None:
    ended = opened("/nowhere/browser %s", small)
    assert (ended.returncode, ended.stdout) == (2, f"{FORM}lesson2\n")
    assert "no browser could be started" in ended.stderr

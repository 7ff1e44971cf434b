"""``course grade``: which exercise, which report, where to, which exit code."""

from __future__ import annotations

import io
import json
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from grader.cli import _grading as module


def finish(folder: Path) -> None:
    (folder / "gather.py").write_text("def gather():\n    return 1\n")


def test_exit_codes_tell_points(run: Any, work: Path) -> None:
    result = run("grade", work)
    assert result.code == 1
    assert "2 of 3.5 points" in result.out
    assert f"course grade {work} --only gather\n" in result.out
    finish(work)
    result = run("grade", work)
    assert result.code == 0
    assert result.out.endswith("Done: every criterion passed.\n")


def test_a_report_with_a_suite_error_ends_with_3(run: Any, fake: Any, work: Path) -> None:
    fake.faulty = True
    result = run("grade", work)
    assert result.code == 3
    assert "no score" in result.out


def test_the_exercise_is_named_by_an_option_by_the_folder_or_by_its_files(run: Any, work: Path, tmp_path: Path) -> None:
    named = tmp_path / "home" / "lesson9"
    shutil.copytree(work, named, ignore=shutil.ignore_patterns("exercise.yml", ".pristine"))
    assert run("grade", named).code == 1
    other = tmp_path / "home" / "my work"
    named.rename(other)
    result = run("grade", other)
    assert result.code == 1
    assert f"course grade '{other}' --only gather\n" in result.out
    (other / "gather.py").rename(other / "gather (1).py")
    result = run("grade", other)
    assert result.code == 2
    assert "Add --exercise with one of: lesson9" in result.err
    (other / "gather (1).py").rename(other / "gather.py")
    result = run("grade", other, "--exercise", "lesson9")
    assert result.code == 1
    assert f"course grade '{other}' --exercise lesson9 --only gather\n" in result.out
    assert f"course hint '{other}' --exercise lesson9 gather\n" in result.out


def test_a_named_exercise_is_the_courses_whatever_a_submission_brings(run: Any, work: Path, tmp_path: Path) -> None:
    other = tmp_path / "submission"
    (other / "exercises" / "lesson9").mkdir(parents=True)
    (other / "suites" / "lesson9").mkdir(parents=True)
    (other / "course.yml").write_text("schema: 1\ntitle: Mine\ndescription: Mine.\nsuites: suites\n")
    manifest = (work / "exercise.yml").read_text().replace("points: 1.5", "points: 0.5")
    (other / "exercises" / "lesson9" / "exercise.yml").write_text(manifest)
    (other / "shard.py").write_text("return\n")
    assert "2 of 3.5 points" in run("grade", other, "--exercise", "lesson9").out


def test_a_single_file(run: Any, work: Path, tmp_path: Path) -> None:
    assert run("grade", work / "shard.py").code == 1
    (tmp_path / "all.py").write_text("return\n")
    assert run("grade", tmp_path / "all.py", "--exercise", "lesson9").code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "does not exist"),
        (["course.yml", "--exercise", "lesson9"], "not a Python file"),
        (["exercises/lesson9", "--exercise", "lesson8"], "Did you mean lesson9?"),
        (["exercises/lesson9", "--only", "gathr"], "Did you mean gather?"),
        (["exercises/lesson9", "--format", "pdf"], "'json'"),
        (["exercises/lesson9", "--output", "nowhere/report.txt"], "nowhere does not exist"),
        (["exercises/lesson9", "--output", "exercises"], "cannot be written"),
        (["exercises/lesson9", "--html", "nowhere/report.html"], "--html: the folder nowhere does not exist"),
        (["exercises/lesson9", "--html", "exercises"], "cannot be written"),
        (["exercises/lesson9", "--output", "a.html", "--html", "./a.html"], "both name a.html"),
    ],
)
def test_wrong_usage(run: Any, work: Path, arguments: list[str], message: str) -> None:
    result = run("grade", *arguments)
    assert result.code == 2
    assert message in result.err
    assert "Traceback" not in result.err


def test_only_and_seed_reach_the_grader(run: Any, fake: Any, work: Path) -> None:
    result = run("grade", work, "--only", "shard", "--seed", "7")
    assert result.code == 0
    assert "Only shard was graded" in result.out
    assert "seed 7" in result.out
    assert fake.seeds == [7]


def test_json_goes_to_a_file_and_a_line_to_the_terminal(run: Any, work: Path, tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    file.write_text("old")
    result = run("grade", work, "--format", "json", "--output", file)
    assert result.code == 1
    assert result.out == f"lesson9: 2 of 3.5 points. The report is in {file}.\n"
    assert json.loads(file.read_text("utf-8"))["earned"] == 2
    assert not [other for other in tmp_path.iterdir() if other.name.startswith(".report")]


def test_a_web_page_goes_to_a_file_beside_the_report(run: Any, work: Path, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    result = run("grade", work, "--format", "json", "--html", file)
    assert result.code == 1
    assert json.loads(result.out)["earned"] == 2
    assert result.err == f"The web page is {file}.\n"
    page = file.read_text("utf-8")
    assert "2 of 3.5 points" in page
    assert run("grade", work, "--format", "html").out.replace(str(work), "") == page.replace(str(work), "")


def test_a_report_and_a_web_page_may_both_be_files(run: Any, work: Path, tmp_path: Path) -> None:
    text, page = tmp_path / "report.txt", tmp_path / "report.html"
    assert run("grade", work, "--output", text, "--html", page).code == 1
    assert text.read_text("utf-8").startswith("lesson9  ")
    assert page.read_text("utf-8").startswith("<!DOCTYPE html>")


def test_a_course_without_a_suite_cannot_grade(run: Any, root: Path, work: Path) -> None:
    shutil.rmtree(root / "suites")
    result = run("grade", work)
    assert result.code == 3
    assert "no suite for lesson9" in result.err


@pytest.mark.parametrize(
    ("terminal", "variables", "coloured"),
    [
        (True, {"TERM": "xterm"}, True),
        (True, {"TERM": "xterm", "NO_COLOR": "1"}, False),
        (True, {"TERM": "dumb"}, False),
        (False, {"TERM": "xterm"}, False),
    ],
)
def test_colour_is_for_terminals_that_want_it(
    run: Any,
    work: Path,
    monkeypatch: pytest.MonkeyPatch,
    terminal: bool,
    variables: dict[str, str],
    coloured: bool,
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    assert ("\x1b[" in run("grade", work).out) is coloured


def test_watching_grades_again_after_a_change(run: Any, fake: Any, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waits = 0

    def sleep(seconds: float) -> None:
        nonlocal waits
        waits += 1
        if waits == 2:
            finish(work)
        elif waits > 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", sleep)
    result = run("grade", work, "--watch")
    assert result.code == 0
    assert len(fake.seeds) == 2
    assert "2 of 3.5 points" in result.out
    assert "Done: every criterion passed." in result.out


def test_progress_comes_after_a_second_and_is_wiped(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = io.StringIO()
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    monkeypatch.setattr(sys, "stderr", terminal)
    progress: Any = module._Progress()
    progress("shard", 1, 3)
    assert terminal.getvalue() == ""
    now = 2.0
    progress("shard", 2, 3)
    progress("shard", 3, 3)
    assert terminal.getvalue() == "\r\x1b[K2 of 3  shard\r\x1b[K"


def test_github_gets_annotations_and_a_summary_beside_what_is_there(
    run: Any, root: Path, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("of another tool\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    result = run("grade", work, "--format", "github")
    assert result.code == 1
    assert result.out.startswith("lesson9: 2 of 3.5 points\n")
    assert summary.read_text().startswith("of another tool\n## lesson9: Two functions\n\n**2 of 3.5 points**\n")
    assert run("grade", work, "--format", "json").code == 1
    assert summary.read_text().count("## lesson9") == 1
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(root))
    assert "cannot be written" in run("grade", work, "--format", "github").err


@pytest.mark.parametrize(("repository", "folder"), [("course", "exercises/lesson9"), ("", "course/exercises/lesson9")])
def test_a_place_in_a_repository_leads_from_its_root(
    work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, repository: str, folder: str
) -> None:
    monkeypatch.chdir(work)
    (tmp_path / repository / ".git").mkdir()
    assert module._in_repository(Path()) == folder


def test_a_place_in_no_repository_leads_from_here(work: Path, root: Path) -> None:
    assert module._in_repository(work) == "exercises/lesson9"

"""``course new``: what it writes is right but for its TODOs."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from grader.audit import audit
from grader.course import Course
from grader.course.library import Library
from grader.results import Finding
from grader.rules import rules
from grader.rules.engine import check

SMALL = Path(__file__).parents[1] / "cases" / "small_course"
EMPTY = "schema: 1\ntitle: New\ndescription: Nothing yet.\nsuites: suites\n"


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "small"
    shutil.copytree(SMALL, root)
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course in which nothing has been written yet."""
    (tmp_path / "course.yml").write_text(EMPTY)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def library(root: Path) -> Library:
    return Library(root, Course.read(root / "course.yml"))


def findings(root: Path) -> tuple[Finding, ...]:
    return check(library(root), rules().values())


def says_todo(finding: Finding, root: Path) -> bool:
    """Whether what is found is a TODO that is still to be filled in."""
    line = (root / finding.path).read_text("utf-8").splitlines()[(finding.line or 1) - 1]
    return "TODO" in line or "TODO" in finding.message


def test_a_new_lesson_is_right_but_for_its_todos(run: Any, small: Path) -> None:
    result = run("new", "lesson", "lesson4", "--title", "Easter: When It Is")
    assert (result.code, result.err) == (0, "")
    assert result.out == (
        "lessons/lesson4.md\n\nNext   fill in each TODO, then\n       course check lessons/lesson4.md\n"
    )
    lesson = library(small).lessons["lesson4"]
    assert (lesson.title, lesson.order, lesson.draft) == ("Easter: When It Is", 4, True)
    assert lesson.prerequisites == ("lesson3",)
    assert [question.answer.recalls for question in lesson.warm_up if question.answer] == [("lesson3",)]
    assert len(lesson.practice) == 2
    assert [rep.day for rep in lesson.reps] == ["Now", "Tomorrow"]
    assert [finding for finding in findings(small) if not says_todo(finding, small)] == []


def test_a_first_lesson_recalls_nothing(run: Any, empty: Path) -> None:
    assert run("new", "lesson", "lesson1", "--title", "A").code == 0
    lesson = library(empty).lessons["lesson1"]
    assert (lesson.order, lesson.prerequisites) == (1, ())
    assert [question.answer.recalls for question in lesson.warm_up if question.answer] == [()]


@pytest.mark.parametrize(
    "title", ["#1", "it's", 'say "so"', "a\\b", "$order", "- x", "C # and F", "a\nb", "梯度\u200c分片"]
)
def test_a_title_stays_as_it_is_given(title: str, run: Any, empty: Path) -> None:
    assert run("new", "lesson", "lesson1", "--title", title).code == 0
    lesson = library(empty).lessons["lesson1"]
    assert lesson.title == " ".join(title.split())
    assert lesson.page.headings[0].span.line == 17


@pytest.mark.parametrize(
    ("title", "message"), [("a\x00b", "the character U+0000 is not allowed"), (" ", "a lesson needs one")]
)
def test_what_is_no_title_is_refused(title: str, message: str, run: Any, empty: Path) -> None:
    result = run("new", "lesson", "lesson1", "--title", title)
    assert result.code == 2
    assert message in result.err
    assert not (empty / "lessons").exists()


def test_a_new_term_is_right_but_for_its_todos(run: Any, small: Path) -> None:
    result = run("new", "term", "easter-moon")
    assert (result.code, result.err) == (0, "")
    assert "course check glossary/easter-moon.md" in result.out
    assert library(small).terms["easter-moon"].title == "easter-moon"
    left = [finding for finding in findings(small) if not says_todo(finding, small)]
    # No lesson uses it yet.
    assert [finding for finding in left if "unused" not in finding.rule] == []


def test_a_new_exercise_is_proven_and_right_but_for_its_todos(run: Any, small: Path) -> None:
    result = run("new", "exercise", "easter-sunday")
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines() == [
        "exercises/easter-sunday/exercise.yml",
        "exercises/easter-sunday/README.md",
        "exercises/easter-sunday/easter_sunday.py",
        "exercises/easter-sunday/.pristine/easter_sunday.py",
        "hidden/easter-sunday/test_easter_sunday.py",
        "hidden/easter-sunday/reference/easter_sunday.py",
        "hidden/easter-sunday/mutants/adds_two/easter_sunday.py",
        "",
        "Next   fill in each TODO, then",
        "       course audit exercises/easter-sunday",
    ]
    left = findings(small)
    assert [finding for finding in left if not says_todo(finding, small)] == []
    assert "stub-todo" not in {finding.rule for finding in left}
    proven = audit(Course.read(small / "course.yml"), "easter-sunday", jobs=1)
    assert proven.findings == ()
    assert len(proven.criteria) == len(proven.mutants) == 1


def test_every_new_file_says_what_is_to_do(run: Any, small: Path) -> None:
    before = set(small.rglob("*"))
    for arguments in (["lesson", "lesson4", "--title", "Easter"], ["term", "easter"], ["exercise", "easter"]):
        assert run("new", *arguments).code == 0
    for file in set(small.rglob("*")) - before:
        if file.is_file() and file.parent.name != "reference":
            assert "TODO" in file.read_text("utf-8"), file


def test_an_exercise_of_a_new_lesson_belongs_to_it(run: Any, small: Path) -> None:
    assert run("new", "lesson", "lesson4", "--title", "Easter").code == 0
    assert run("new", "exercise", "lesson4").code == 0
    assert Course.read(small / "course.yml").exercise("lesson4").lesson == "lesson4"
    assert [finding for finding in findings(small) if not says_todo(finding, small)] == []


@pytest.mark.parametrize(
    ("arguments", "taken"),
    [
        (["lesson", "lesson2", "--title", "Again"], "lessons/lesson2.md"),
        (["term", "weekday"], "glossary/weekday.md"),
        (["exercise", "leap"], "exercises/leap/exercise.yml, exercises/leap/README.md, exercises/leap/leap.py"),
    ],
)
def test_nothing_is_overwritten(arguments: list[str], taken: str, run: Any, small: Path) -> None:
    before = {file: file.read_bytes() for file in small.rglob("*") if file.is_file()}
    result = run("new", *arguments)
    assert result.code == 2
    assert f"there already: {taken}" in result.err
    assert "Nothing was written." in result.err
    assert {file: file.read_bytes() for file in small.rglob("*") if file.is_file()} == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["lesson", "../x", "--title", "A"], "is no id"),
        (["lesson", "mission", "--title", "A"], "lessons/mission.md is no lesson's"),
        (["term", "README"], "glossary/README.md is no term's"),
        (["exercise", "10"], "no name of one in Python"),
        (["exercise", "lambda"], "no name of one in Python"),
    ],
)
def test_a_wrong_id_is_refused(arguments: list[str], message: str, run: Any, small: Path) -> None:
    result = run("new", *arguments)
    assert result.code == 2
    assert message in " ".join(result.err.split())


def test_a_suite_is_never_written_into_an_installed_package(run: Any, empty: Path) -> None:
    (empty / "course.yml").write_text(EMPTY.replace("suites: suites\n", ""))
    result = run("new", "exercise", "easter")
    assert result.code == 3
    assert "`suites:` must name the folder of the hidden suites" in result.err
    assert not (empty / "exercises").exists()


@pytest.mark.parametrize("arguments", [["lesson", "x", "--title", "X"], ["term", "x"], ["exercise", "x"]])
def test_without_a_course_nothing_is_written(
    arguments: list[str], run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("new", *arguments)
    assert result.code == 2
    assert "is in no course" in result.err
    assert list(tmp_path.iterdir()) == []

"""Rules get their subjects, and what they find comes in order, once, as the course and the page want it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from grader.course import Course
from grader.course.library import Library
from grader.course.page import Page, Span
from grader.results import Finding, Severity
from grader.rules import CourseRule, ExerciseRule, FileRule, PageRule, Rule, rules
from grader.rules.engine import RuleFault, check, files
from grader.rules.ignores.unused import IgnoreUnused
from grader.rules.selection import group

COURSE = "schema: 1\ntitle: Days\ndescription: Counting them.\n"
MANIFEST = """\
title: Leap
lesson: lesson1
summary: One.
functions:
  - {name: leap, file: leap.py, points: 1, summary: One., hints: [One.]}
"""


class Word(PageRule):
    """No page says a word, but for the rule's own name."""

    severity: ClassVar[Severity] = "error"

    def __init__(self, word: str) -> None:
        self.word = word

    @property
    def id(self) -> str:  # type: ignore[override]
        return f"no-{self.word}"

    def check(self, subject: Page, library: Library) -> Iterator[Finding]:
        for match in re.finditer(f"(?<!no-){self.word}", subject.text.content):
            yield self.finding(subject.path, subject.text.span(*match.span()), f"says {self.word}")


class EveryFile(FileRule):
    """Finds each file."""

    id = "every-file"

    def check(self, subject: str, library: Library) -> Iterator[Finding]:
        yield self.finding(subject, None, "is there")


class EveryExercise(ExerciseRule):
    """Finds each exercise."""

    id = "every-exercise"

    def check(self, subject: Any, library: Library) -> Iterator[Finding]:
        yield self.finding(f"exercises/{subject.id}/exercise.yml", None, "is there")


class OfCourse(CourseRule):
    """Finds the course, twice, and something in a page."""

    id = "of-course"

    def check(self, subject: Library, library: Library) -> Iterator[Finding]:
        yield from (self.finding("course.yml", None, "is there") for _ in range(2))
        yield self.finding("lessons/a.md", Span(1, 1, 1, 2), "is there")


class Broken(PageRule):
    """Fails on the page that says so."""

    id = "broken"

    def check(self, subject: Page, library: Library) -> Iterator[Finding]:
        if "break" in subject.text.content:
            yield self.finding(subject.path, None, str({}["key"]))


def make(root: Path, **pages: str) -> Library:
    """A course with lessons."""
    (root / "lessons").mkdir()
    for name, text in pages.items():
        (root / "lessons" / f"{name}.md").write_text(text, "utf-8")
    return read(root)


def read(root: Path, more: str = "") -> Library:
    (root / "course.yml").write_text(COURSE + more, "utf-8")
    return Library(root, Course.read(root / "course.yml"))


def found(library: Library, *running: Rule[Any], paths: set[str] | None = None) -> list[tuple[str, int | None, str]]:
    return [(each.path, each.line, each.rule) for each in check(library, running, paths)]


def test_each_kind_of_rule_gets_its_subjects(tmp_path: Path) -> None:
    library = make(tmp_path, a="wrong", b="right")
    (tmp_path / "exercises" / "leap").mkdir(parents=True)
    (tmp_path / "exercises" / "leap" / "exercise.yml").write_text(MANIFEST)
    assert found(library, EveryFile(), EveryExercise(), OfCourse(), Word("wrong")) == [
        ("course.yml", None, "every-file"),
        ("course.yml", None, "of-course"),
        ("exercises/leap/exercise.yml", None, "every-exercise"),
        ("exercises/leap/exercise.yml", None, "every-file"),
        ("lessons/a.md", None, "every-file"),
        ("lessons/a.md", 1, "no-wrong"),
        ("lessons/a.md", 1, "of-course"),
        ("lessons/b.md", None, "every-file"),
    ]


def test_the_order_of_the_rules_does_not_matter(tmp_path: Path) -> None:
    library = make(tmp_path, a="bad wrong\nwrong bad", b="bad")
    running = [Word("wrong"), Word("bad"), EveryFile(), OfCourse()]
    assert len({check(library, order) for order in itertools.permutations(running)}) == 1


def test_of_chosen_files_only_these_are_read(tmp_path: Path) -> None:
    library = make(tmp_path, a="wrong", b="wrong")
    assert found(library, Word("wrong"), OfCourse(), EveryFile(), paths={"lessons/b.md"}) == [
        ("lessons/b.md", None, "every-file"),
        ("lessons/b.md", 1, "no-wrong"),
    ]
    assert set(library._pages) == {"lessons/b.md"}


def test_a_course_gives_rules_their_severities(tmp_path: Path) -> None:
    make(tmp_path, a="wrong bad")
    library = read(tmp_path, "severities: {no-wrong: 'off', no-bad: warning}\n")
    assert [(each.rule, each.severity) for each in check(library, [Word("wrong"), Word("bad")])] == [
        ("no-bad", "warning")
    ]


def test_a_tree_without_a_course_needs_none(tmp_path: Path) -> None:
    make(tmp_path, a="wrong")
    (tmp_path / "course.yml").unlink()
    running = (Word("wrong"), EveryFile(), EveryExercise(), OfCourse())
    assert found(Library(tmp_path), *running) == [("lessons/a.md", None, "every-file"), ("lessons/a.md", 1, "no-wrong")]


def test_what_cannot_be_read_is_a_file_all_the_same(tmp_path: Path) -> None:
    library = make(tmp_path, good="wrong")
    (tmp_path / "lessons" / "latin.md").write_bytes(b"wrong \xe9")
    (tmp_path / "lessons" / "nowhere.md").symlink_to("gone.md")
    (tmp_path / "lessons" / "folder.md").mkdir()
    assert files(library) == ["course.yml", "lessons/good.md", "lessons/latin.md", "lessons/nowhere.md"]
    assert found(library, Word("wrong")) == [("lessons/good.md", 1, "no-wrong")]


def test_a_rule_that_fails_is_named_with_its_page(tmp_path: Path) -> None:
    library = make(tmp_path, a="fine", b="break")
    with pytest.raises(RuleFault, match=r"rule broken failed on lessons/b\.md: KeyError: 'key'"):
        check(library, [Broken()])


# What pages say to ignore.

REMARK = "<!-- check: ignore no-wrong because it is quoted -->"


@pytest.mark.parametrize(
    ("page", "lines"),
    [
        (f"{REMARK}\n\nwrong\nwrong\n\nwrong\n", [6]),
        (f"{REMARK}\nwrong\n", []),
        (f"wrong\n\n{REMARK}\n\n- wrong\n- wrong\n\nwrong\n", [1, 8]),
        (f"wrong\nwrong {REMARK}\nwrong\n", [1, 3]),
        (f"{REMARK}\n\n| a |\n|---|\n| wrong |\n\nwrong\n", [7]),
        (f"- {REMARK}\n\n  wrong\n- wrong\n", [4]),
        (f"---\ntitle: a\n---\n\n{REMARK}\n\nwrong\n\nwrong\n", [9]),
        (f"{REMARK}", []),
        (f"wrong {REMARK}\n\nwrong\n", [3]),
        ("<!-- check: ignore no-bad, no-wrong because both -->\nwrong\n", []),
        ("<!-- check: ignore no-wrong -->\nwrong\n", []),
        ("<!-- check: ignore no-bad because it is another -->\nwrong\n", [2]),
        ("<!-- ignore no-wrong because of another tool -->\nwrong\n", [2]),
        (f"```\n{REMARK}\n```\n\nwrong\n", [5]),
        (f"{REMARK}\r\n\r\nwrong\r\n\r\nwrong\r\n", [5]),
    ],
)
def test_a_comment_covers_the_next_block_or_its_line(page: str, lines: list[int], tmp_path: Path) -> None:
    library = make(tmp_path)
    (tmp_path / "lessons" / "a.md").write_bytes(page.encode())
    assert [each.line for each in check(library, [Word("wrong")])] == lines


def unused(library: Library, *running: Rule[Any], paths: set[str] | None = None) -> list[str]:
    return [each.message for each in check(library, [*running, IgnoreUnused()], paths) if each.rule == "ignore-unused"]


def test_a_comment_that_ignores_nothing_is_found(tmp_path: Path) -> None:
    library = make(tmp_path, a="<!-- check: ignore no-bad, no-cat because it was -->\n\nbad\n\ncat\n")
    assert unused(library, Word("bad"), Word("cat")) == ["no-cat finds nothing here to ignore"]
    assert unused(library, Word("bad")) == []


def test_what_did_not_run_is_not_unused(tmp_path: Path) -> None:
    library = make(tmp_path, a="<!-- check: ignore of-course because of the course -->\n")
    assert unused(library, OfCourse(), paths={"lessons/a.md"}) == []
    assert unused(library, OfCourse()) == []
    (tmp_path / "lessons" / "a.md").write_text("\n\n<!-- check: ignore of-course because of the course -->\n")
    assert unused(read(tmp_path), OfCourse()) == ["of-course finds nothing here to ignore"]


def of_ignores(library: Library) -> list[tuple[str, int | None, int | None, str, str | None]]:
    running = [rule for rule in rules().values() if group(rule) in ("ignores", "course")]
    return [(each.rule, each.line, each.column, each.message, each.fix) for each in check(library, running)]


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        (
            "ignore ignore-unknown",
            ("ignore-reason", 1, 1, "ignore-unknown is ignored without a reason",
             "write `<!-- check: ignore ignore-unknown because … -->`"),
        ),
        (
            "ignore ignore-raeson because so",
            ("ignore-unknown", 1, 1, "no rule is called `ignore-raeson`", "did you mean `ignore-reason`?"),
        ),
        (
            "ingore ignore-reason because so",
            ("ignore-unknown", 1, 1, "a comment that begins with `check:` and does not say what to ignore",
             "write `<!-- check: ignore RULE because … -->`"),
        ),
    ],
)  # fmt: skip
def test_a_comment_that_is_written_wrongly_is_found(comment: str, expected: tuple[Any, ...], tmp_path: Path) -> None:
    assert expected in of_ignores(make(tmp_path, a=f"<!-- check: {comment} -->\n"))


def test_a_severity_of_no_rule_is_found_where_it_stands(tmp_path: Path) -> None:
    make(tmp_path)
    library = read(tmp_path, "severities:\n  ignore-reason: error\n  ignore-raeson: error\n")
    assert of_ignores(library) == [
        ("severity-unknown", 6, 3, "no rule is called `ignore-raeson`", "did you mean `ignore-reason`?")
    ]

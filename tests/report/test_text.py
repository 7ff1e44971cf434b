"""The report for people, over the example grades in tests/cases/reports."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

import pytest
from rich.cells import cell_len

from grader.report import Options, render
from grader.results import Criterion, Grade, RankRow, RankTable, grade_from_plain

CASES = Path(__file__).parents[1] / "cases" / "reports"
NAMES = sorted(file.stem for file in CASES.glob("*.json"))
LIMITED = ["hidden-passed", "only", "elsewhere"]


def load(name: str) -> Grade:
    return grade_from_plain(json.loads((CASES / f"{name}.json").read_text("utf-8")))


DEFAULT = Options()


def text(name: str, options: Options = DEFAULT) -> str:
    return render(load(name), "text", options)


def with_status(grade: Grade, **changes: object) -> Grade:
    last = dataclasses.replace(grade.criteria[-1], **changes)  # type: ignore[arg-type]
    return dataclasses.replace(grade, criteria=(*grade.criteria[:-1], last))


@pytest.mark.parametrize("name", sorted(file.stem for file in CASES.glob("*.txt")))
def test_a_report_looks_as_drawn(name: str) -> None:
    assert text(name) == (CASES / f"{name}.txt").read_text("utf-8")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("verbose", [False, True])
def test_nothing_is_wider_than_the_terminal(name: str, width: int, verbose: bool) -> None:
    report = text(name, Options(width=width, verbose=verbose, timeline=True))
    assert all(cell_len(line) <= width and line == line.rstrip() for line in report.splitlines())
    assert report.endswith("\n")


@pytest.mark.parametrize("name", NAMES)
def test_colour_changes_nothing_but_colour(name: str) -> None:
    coloured = text(name, Options(colour=True))
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == text(name)


@pytest.mark.parametrize("name", NAMES)
def test_no_control_character_gets_through(name: str) -> None:
    report = text(name, Options(verbose=True))
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", report)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "full-marks"])
def test_everything_passed_is_said_of_full_marks_only(name: str) -> None:
    assert "every criterion passed" not in text(name)
    assert "every criterion passed" in text("full-marks")


@pytest.mark.parametrize("name", LIMITED)
def test_what_limits_a_grade_is_said(name: str) -> None:
    assert re.search(r"^(Hidden criteria|Only shard|Graded elsewhere)", text(name), re.MULTILINE)


def test_what_limits_a_grade_to_several_functions_is_said_of_all() -> None:
    grade = dataclasses.replace(load("only"), only=("fits", "shard"))
    assert "Only fits and shard were graded" in render(grade, "text")


@pytest.mark.parametrize("status", ["blocked", "todo", "failed", "timeout", "error"])
def test_a_criterion_worth_nothing_still_has_to_pass(status: str) -> None:
    assert "every criterion passed" not in render(with_status(load("full-marks"), status=status), "text")


def test_hidden_criteria_show_where_and_what_broke_but_no_values() -> None:
    report = text("hidden-failed", Options(verbose=True))
    assert "SECRET" not in report
    assert "restores the order of a transposed parameter" in report
    assert "on rank 2 of 4" in report
    assert "gather.py:9" in report
    assert "128 too many" in report


def test_a_broken_suite_gives_no_score() -> None:
    report = text("suite-error", Options(verbose=True))
    assert "no score" in report
    assert not re.search(r"\d of \d", report)


def test_untouched_stubs_say_where_to_begin() -> None:
    report = text("untouched")
    assert "Begin  write shard in shard.py, then\n       course grade exercises/lesson10 --only shard\n" in report
    assert "FAILED" not in report


def test_verbose_lists_every_criterion_and_failure() -> None:
    short, long = text("many-failures"), text("many-failures", Options(verbose=True))
    assert "6 more failed criteria of fits" in short
    assert long.count("FAILED") == 9
    criteria = load("mixed").criteria
    report = text("mixed", Options(verbose=True, width=100))
    assert all(criterion.title in report for criterion in criteria)


def test_a_learners_own_marker_keeps_no_output_from_being_cut() -> None:
    grade = load("hostile")
    output = "\n".join(["... 1 bytes left out ..."] * 2000)
    grade = with_status(grade, output=output)
    assert len(render(grade, "text").splitlines()) < 200


def test_verbose_tells_the_fences_and_what_is_missing_of_them() -> None:
    report = text("full-marks", Options(verbose=True))
    assert "Fences rlimits\n       landlock is missing: the kernel was built without Landlock\n" in report
    assert "Fences" not in text("full-marks")


def test_long_output_says_how_much_is_left_out() -> None:
    report = text("hostile")
    assert "... 1,984 lines left out ..." in report
    assert "... 18 lines left out ...\n            ... 61,440 bytes left out ...\n" in report


def test_timelines_of_passed_criteria_are_drawn_when_asked_for() -> None:
    assert "gather b" not in text("details")
    assert "peak 288 bytes at gather b" in text("details", Options(timeline=True))


def test_the_first_difference_is_marked() -> None:
    lines = text("details").splitlines()
    at = next(index for index, line in enumerate(lines) if "first difference at [1, 1]" in line)
    assert lines[at + 2][lines[at + 3].index("^")] == "5"


def test_a_table_of_many_ranks_is_cut() -> None:
    rows = tuple(RankRow(rank, "all_reduce", (3,), "float32") for rank in range(1024))
    grade = load("mixed")
    criteria = tuple(
        dataclasses.replace(criterion, detail=RankTable(rows)) if criterion.id == "gather-uneven" else criterion
        for criterion in grade.criteria
    )
    report = render(dataclasses.replace(grade, criteria=criteria), "text")
    assert "... 1,012 ranks left out ..." in report
    assert "\n            1023  all_reduce" in report


def test_an_empty_grade_is_not_a_full_one() -> None:
    none: tuple[Criterion, ...] = ()
    assert "passed" not in render(dataclasses.replace(load("full-marks"), criteria=none, functions=()), "text")

"""Findings in each format, also of text that would do harm there."""

from __future__ import annotations

import json
import re
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft4Validator, Draft202012Validator
from rich.cells import cell_len

import grader.report
from grader.report.findings import Options, formats, render
from grader.report.findings.text import excerpt
from grader.results import Check, Edit, Finding
from grader.rules import rules

CASES = Path(__file__).parents[2] / "cases"
SARIF = json.loads((CASES / "schemas" / "sarif-2.1.0-rtm.5.json").read_text("utf-8"))
FINDINGS = json.loads((Path(grader.report.__file__).parent / "schemas" / "findings.json").read_text("utf-8"))
LINE = "See [Lesson 9](lesson9.md) first."

WARNING = Finding("long", "warning", "course.yml", None, None, None, None, "100% of it,\nis: long")
LINK = Finding(
    "link", "error", "lessons/ünï code.md", 7, 16, 7, 26, "no file `lesson9.md`", "did you mean `lesson09.md`?",
    (Edit(7, 16, 7, 26, "lesson09.md"),),
)  # fmt: skip
BLOCK = Finding("block", "error", "lessons/ünï code.md", 9, 1, 11, 4, "\x1b[2Jcleared")
CHECK = Check(
    (WARNING, LINK, BLOCK),
    files=3,
    rules=("block", "link", "long"),
    lines={(LINK.path, 7): LINE, (BLOCK.path, 9): "```python"},
    notes=("2 rules did not run",),
)
EMPTY = Check((), 1, ("link",), {})


def shown(check: Check = CHECK, **options: Any) -> str:
    return render(check, "text", Options(**options))


def test_text_marks_what_is_meant() -> None:
    assert shown(here="..") == (
        "../course.yml\n"
        "  warning  100% of it,\\nis: long  [long]\n"
        "\n"
        "../lessons/ünï code.md\n"
        "  7:16  error  no file `lesson9.md`  [link]\n"
        "  7 | See [Lesson 9](lesson9.md) first.\n"
        "    |                ^^^^^^^^^^\n"
        "    = did you mean `lesson09.md`? (`--fix` does it)\n"
        "  9:1  error  \\x1b[2Jcleared  [block]\n"
        "  9 | ```python\n"
        "    | ^^^^^^^^^ to line 11\n"
        "\n"
        "note: 2 rules did not run\n"
        "3 files checked: 2 errors, 1 warning.\n"
        "1 finding can be mended by `course check --fix`.\n"
    )


def test_a_fix_of_several_lines_has_them() -> None:
    fix = Finding("list", "error", "a.md", 7, 1, 7, 2, "it is not", "Write:\n- one\n- two", (Edit(7, 1, 7, 2, "x"),))
    assert shown(Check((fix,), 1, ("list",), {})).splitlines()[2:5] == [
        "    = Write:",
        "      - one",
        "      - two (`--fix` does it)",
    ]


def test_colour_changes_no_character() -> None:
    coloured = shown(colour=True)
    assert "\x1b[1;31merror" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == shown()


def test_verbose_text_has_the_same_findings_and_says_why() -> None:
    rule = next(iter(rules().values()))
    found = Check((Finding(rule.id, "error", "a.md", 1, 1, 1, 2, "wrong"),), 1, (), {})
    options = {"rules": rules(), "width": 120}
    plain, verbose = (shown(found, verbose=verbose, **options).splitlines() for verbose in (False, True))
    assert [line for line in verbose if line not in plain] == [f"    = {rule.why}"]
    assert [line for line in verbose if line in plain] == plain


def test_nothing_found_is_said_with_how_much_was_checked() -> None:
    assert shown(EMPTY) == "1 file checked: nothing to mend.\n"


@pytest.mark.parametrize("width", [60, 80, 120])
def test_text_is_no_wider_than_asked_for(width: int) -> None:
    long = Finding("link", "error", "a.md", 1, 300, 1, 310, "a long message " * 20, "advice " * 40)
    report = shown(Check((long,), 1, (), {("a.md", 1): "図 words " * 60}), width=width)
    assert max(map(cell_len, report.splitlines())) <= width
    assert "^" in report


@pytest.mark.parametrize(
    ("line", "start", "room", "expected"),
    [
        ("ab\tX", 3, 40, ("ab  X", "    ^")),
        ("図\tX", 2, 40, ("図  X", "    ^")),
        ("a" * 50 + "X" + "b" * 50, 50, 20, ("…aaaaaaXbbbbbbbbbbb…", "       ^")),
        ("X" + "b" * 50, 0, 20, ("Xbbbbbbbbbbbbbbbbb…", "^")),
        ("a" * 5000 + "X" + "b" * 5000, 5000, 20, ("…aaaaaaXbbbbbbbbbbb…", "       ^")),
        ("\u0301" * 99 + "X" + "b" * 50, 99, 20, ("…" + "\u0301" * 40 + "Xbbbbbbbbbbbbbbbbb…", " ^")),
        ("", 0, 20, ("", "^")),
    ],
)
def test_where_marks_stand(line: str, start: int, room: int, expected: tuple[str, str]) -> None:
    assert excerpt(line, start, start + 1, room) == expected


LINES = st.text(st.sampled_from("ab \t図é\u0301\x1b😀"), max_size=60)


@given(line=LINES, start=st.integers(0, 70), length=st.integers(0, 20), room=st.integers(20, 80))
def test_marks_stand_under_what_they_mean(line: str, start: int, length: int, room: int) -> None:
    text, marks = excerpt(line, start, start + length, room)
    assert cell_len(text) <= room
    before = len(marks) - len(marks.lstrip(" "))
    assert set(marks.strip()) == {"^"}
    edges = [0, *accumulate(map(cell_len, text))]
    assert before in edges or before == edges[-1]
    if start < len(line) and line[start] in "ab図é😀":
        assert text[edges.index(before) :].lstrip("\u0301").startswith(line[start])


def test_json_is_as_its_schema_says() -> None:
    for check in (CHECK, EMPTY):
        plain = json.loads(render(check, "json"))
        Draft202012Validator(FINDINGS).validate(plain)
    plain = json.loads(render(CHECK, "json"))
    assert (plain["files"], plain["errors"], plain["warnings"], plain["fixable"]) == (3, 2, 1, 1)
    assert plain["findings"][1] == {
        "rule": "link", "severity": "error", "path": LINK.path, "line": 7, "column": 16, "end_line": 7,
        "end_column": 26, "message": LINK.message, "fix": LINK.fix,
        "edits": [{"line": 7, "column": 16, "end_line": 7, "end_column": 26, "text": "lesson09.md"}],
    }  # fmt: skip


def test_github_gets_the_worst_first_and_nothing_that_ends_a_command() -> None:
    assert render(CHECK, "github", Options(repository="a,b")).splitlines() == [
        "::error file=a%2Cb/lessons/ünï code.md,line=7,endLine=7,col=16,endColumn=26,title=link"
        "::no file `lesson9.md`%0Adid you mean `lesson09.md`?",
        "::error file=a%2Cb/lessons/ünï code.md,line=9,endLine=11,title=block::\\x1b[2Jcleared",
        "::warning file=a%2Cb/course.yml,title=long::100%25 of it,%0Ais: long",
        "::notice::2 rules did not run",
        "3 files checked: 2 errors, 1 warning.",
    ]


@pytest.mark.parametrize("check", [CHECK, EMPTY], ids=["findings", "none"])
def test_sarif_is_as_the_standard_says(check: Check) -> None:
    for options in (Options(), Options(rules=rules(), docs="https://example.org/rules.md", repository="course")):
        Draft4Validator(SARIF).validate(json.loads(render(check, "sarif", options)))


def test_sarif_explains_each_rule_and_leads_from_the_repository() -> None:
    known = rules()
    rule = next(iter(known.values()))
    found = Check((Finding(rule.id, "warning", "a b.md", 2, 3, 2, 4, "wrong", "mend it"),), 1, (), {})
    options = Options(rules=known, docs="https://example.org/rules.md", repository="course")
    run = json.loads(render(found, "sarif", options))["runs"][0]
    (result,) = run["results"]
    described = run["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert described["id"] == result["ruleId"] == rule.id
    assert described["helpUri"] == "https://example.org/rules.md"
    assert described["fullDescription"]["text"] == rule.why
    assert all(text in described["help"]["markdown"] for text in (rule.why, rule.good, rule.bad, rule.fix))
    assert result["level"] == "warning"
    assert result["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "course/a%20b.md"},
        "region": {"startLine": 2, "startColumn": 3, "endLine": 2, "endColumn": 4},
    }


def test_a_format_is_a_file() -> None:
    folder = Path(grader.report.__file__).parent / "findings"
    assert formats() == sorted(file.stem for file in folder.glob("[!_]*.py"))

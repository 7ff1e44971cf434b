"""The example grades in tests/cases/reports, and grades in which learners wrote what they liked."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import replace
from pathlib import Path

from hypothesis import strategies as st

from grader.report import Options, render
from grader.results import Difference, Grade, Held, Memory, Place, RankRow, RankTable, grade_from_plain

CASES = Path(__file__).parents[1] / "cases" / "reports"
NAMES = sorted(file.stem for file in CASES.glob("*.json"))

# What means something to a reader of a format, among text of any kind.
PIECES = [
    "\n", "\r", "\n\n", " ", "\x00", "\x1b[2J", "\ud800", "\ufffe", "\uffff", "\u202e", "]]>", "<b>", "</details>",
    "&#0;", "&amp;", "::error::", "##[error]", "%0A", "```", "````", "~~~", "`", "|", "---", "# ", "- ", "@all", "#1",
    "![x](y)", "[x]: y", "https://example.org", "www.example.org", "$x$", "\\", '"', "    code", "> ",
]  # fmt: skip
TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=8)), max_size=12).map("".join)


def load(name: str) -> Grade:
    return grade_from_plain(json.loads((CASES / f"{name}.json").read_text("utf-8")))


def written(text: str) -> Grade:
    """A grade with ``text`` wherever a learner's code can bring it."""
    place = Place(text or "a.py", 3, text)
    details = (
        RankTable((RankRow(0, text, (2,), text, place),)),
        Memory(((text, 3), ("after", 9)), bound=4, held=(Held(5, place),)),
        Difference((0,), "1", text, 1, 2),
        None,
    )
    grade = load("many-failures")
    criteria = tuple(
        replace(criterion, message=text, call=text, actual=text, output=text, where=place, detail=detail)
        for criterion, detail in zip(grade.criteria, details, strict=False)
    )
    assert grade.next is not None
    step = replace(grade.next, text=text, command=text)
    return replace(grade, criteria=criteria, notes=(text,), next=step)


def rendered(grade: Grade, format: str, options: Options = Options()) -> str:  # noqa: B008
    """A report, in which nothing acts on what shows it and all can be encoded."""
    report = render(grade, format, options)
    assert not {unicodedata.category(character) for character in report if character != "\n"} & {
        "Cc", "Cf", "Cs", "Zl", "Zp",
    }  # fmt: skip
    return report

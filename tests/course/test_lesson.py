"""Lessons, terms and the mission as data."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from grader.course import Course, CourseError
from grader.course._reading import read_lesson, read_mission, read_term
from grader.course.lesson import Choice, Lesson, Question, SourceWork
from grader.course.library import Library
from grader.course.markdown import read_page
from grader.course.page import Page, Span
from grader.course.source import SCHEMAS

COURSE = Course.read(Path(__file__).parents[1] / "cases" / "small_course" / "course.yml")
LIBRARY = Library(COURSE.file.parent, COURSE)

PIECES = """\
<a id="x"></a>a lesson - [ ] a) b) 1. **Answer: a** Yes. No. **Model answer.** <details> </details> <summary>
## Practice
# Lesson 1. A
## Warm-up
## Real-world reps
## Success looks like
After this lesson you can:
**Now, 5 min.** Done when it is done.
---
title: A
order: x
prerequisites: [[a]]
source: []
```
> quoted
| a | b |
|---|---|
""".splitlines()


def lesson(text: str) -> Lesson:
    return read_lesson(read_page("lessons/lesson1.md", text.encode()))


def question(text: str) -> Question:
    """The question that is asked first in the practice of a lesson."""
    return lesson(f"## Practice\n\n{text}").practice[0]


def source(page: Page, span: Span) -> str:
    text = page.text
    return text.content[text.offset(span.line, span.column) : text.offset(span.end_line, span.end_column)]


def test_lessons_come_in_their_order_and_say_what_their_frontmatter_says() -> None:
    assert list(LIBRARY.lessons) == ["lesson1", "lesson2", "lesson3"]
    one = LIBRARY.lessons["lesson1"]
    assert (one.title, one.order, one.mission, one.minutes, one.draft) == ("Leap Years", 1, "count-days", 20, False)
    assert one.description == "Which years have 366 days, and why a calendar needs them."
    address = "https://example.org/calendrical-calculations"
    assert one.source == SourceWork("paper", "Calendrical Calculations", "Dershowitz and Reingold", address, 1990)
    assert LIBRARY.lessons["lesson3"].prerequisites == ("lesson1", "lesson2")
    assert one.lead.startswith("The Earth does not go round the Sun")
    assert one.objectives[0] == "say of any year whether it has 366 days;"


def test_a_lesson_of_unknown_order_comes_last(tmp_path: Path) -> None:
    (tmp_path / "lessons").mkdir()
    for id, order in (("lesson1", "x"), ("lesson2", "10"), ("lesson10", "9")):
        (tmp_path / "lessons" / f"{id}.md").write_text(f"---\norder: {order}\n---\n")
    assert list(Library(tmp_path).lessons) == ["lesson10", "lesson2", "lesson1"]


def test_sections_cover_the_lesson() -> None:
    one = LIBRARY.lessons["lesson1"]
    titles = ["Warm-up", "Know this", "Practice", "Real-world reps", "Going further", "Not landing?"]
    assert [section.title for section in one.sections] == titles
    for section, after in zip(one.sections, one.sections[1:], strict=False):
        assert section.end_line == after.span.line - 1
        assert source(one.page, section.span) == f"## {section.title}"
    assert one.sections[-1].end_line == len(one.page.text.content.splitlines())


def test_a_question_has_choices_with_reasons() -> None:
    two = LIBRARY.lessons["lesson2"]
    recalled = two.warm_up[1]
    assert (recalled.id, recalled.number, recalled.section) == ("was-1900-leap", 2, "Warm-up")
    assert recalled.text == "Was 1900 a leap year?"
    assert [choice.letter for choice in recalled.choices] == ["a", "b", "c", "d"]
    assert recalled.choices[1] == Choice(
        "b", "No, 400 does not divide it.", recalled.choices[1].span, True, "Of the centuries only every fourth is one."
    )
    assert recalled.answer is not None
    assert (recalled.answer.kind, recalled.answer.given, recalled.answer.recalls) == ("choice", "b", ("lesson1",))
    assert recalled.answer.text.startswith("**Answer: b**\n\n- a) No. 100 does, too.\n- b) Yes.")


def test_spans_are_where_things_stand() -> None:
    for one in LIBRARY.lessons.values():
        for asked in one.questions:
            assert source(one.page, asked.span).startswith(f'{asked.number}. <a id="{asked.id}"></a>')
            assert source(one.page, asked.span).endswith("</details>")
            assert asked.answer is not None
            assert source(one.page, asked.answer.span).startswith("<details>")
            for choice in asked.choices:
                assert source(one.page, choice.span) == f"- {choice.letter}) {choice.text}"
        for rep in one.reps:
            assert source(one.page, rep.span).startswith(
                f'- [ ] <a id="{rep.id}"></a>**{rep.day}, {rep.minutes} min.**'
            )
        assert one.head is not None
        assert source(one.page, one.head).startswith("- **Mission:** ")


def test_a_rep_has_a_day_a_time_and_an_end() -> None:
    rep = LIBRARY.lessons["lesson1"].reps[1]
    assert (rep.id, rep.day, rep.minutes) == ("date-library", "Tomorrow", 10)
    assert rep.text == "Find the leap year rule in the source of a date library."
    assert rep.done_when == "you know\nwhat it answers for 1900."


@pytest.mark.parametrize(
    ("written", "kind", "given", "tolerance"),
    [
        ("**Answer: 32 kB** (exact)", "value", "32 kB", "exact"),
        ("**Answer: 1.875 GB** or **1.746 GiB** (± 1 %)", "value", "1.875 GB or 1.746 GiB", "± 1 %"),
        ("**Answer: 32 kB**, against 8 kB", "value", "32 kB", None),
        ("**Answer: c**", "value", "c", None),
        ("**Model answer.** Because.", "model", "", None),
    ],
)
def test_an_answer_is_a_value_or_a_model(written: str, kind: str, given: str, tolerance: str | None) -> None:
    answer = question(f"1. How?\n\n    <details>\n\n    {written}\n\n    </details>\n").answer
    assert answer is not None
    assert (answer.kind, answer.given, answer.tolerance) == (kind, given, tolerance)


def test_several_right_choices() -> None:
    asked = question(
        "1. Which?\n\n    - a) One\n    - b) Two\n\n    <details>\n\n    **Answers: a and b**\n\n"
        "    - a) Yes. It is.\n    - b) It may be.\n\n    </details>\n"
    )
    assert asked.answer is not None
    assert (asked.answer.kind, asked.answer.given) == ("choice", "a and b")
    assert [(choice.right, choice.reason) for choice in asked.choices] == [(True, "It is."), (None, "It may be.")]


def test_a_question_may_have_code_and_tables_and_begin_at_another_number() -> None:
    asked = question("3. Which?\n\n    ```python\n    if x:\n        y()\n    ```\n\n    - no choice\n")
    assert asked.number == 3
    assert asked.text == "Which?\n\n```python\nif x:\n    y()\n```\n\n- no choice"
    assert (asked.choices, asked.answer, asked.id) == ((), None, None)


@pytest.mark.parametrize(
    "text",
    [
        "1. How?\n",
        "1. How?\n\n    <details><summary>Answer</summary>\n    **Answer: 1**\n    </details>\n",
        "1. How?\n\n    <details>\n\n    Because.\n\n    </details>\n",
        "1. How?\n\n    <details>\n",
        "1.\n",
    ],
    ids=["none", "not set apart", "no such word", "empty", "nothing asked"],
)
def test_what_is_no_answer_is_none(text: str) -> None:
    assert question(text).answer is None


def test_a_details_block_that_is_not_closed_is_read_to_its_end() -> None:
    answer = question("1. How?\n\n    <details>\n\n    **Answer: 1**\n\n    As one sees.\n").answer
    assert answer is not None
    assert answer.text == "**Answer: 1**\n\nAs one sees."


def test_values_of_another_type_are_left_out() -> None:
    one = lesson(
        "---\ntitle: 2024\ndescription: [a]\norder: true\nmission: {}\nprerequisites: [a, 1]\n"
        "source: {kind: paper, title: A, by: 1, url: b}\nminutes: 1.5\nstatus: Draft\n---\n"
    )
    assert (one.title, one.description, one.order, one.mission, one.minutes) == ("", "", None, None, None)
    assert (one.prerequisites, one.source, one.draft) == (("a",), None, False)


def test_a_term() -> None:
    term = LIBRARY.terms["iso-week"]
    assert (term.id, term.title, term.aliases, term.lesson) == ("iso-week", "ISO week", ("week number",), "lesson3")
    assert read_term(read_page("glossary/x.md", b"# x\n")).aliases == ()


def test_the_mission() -> None:
    points = [(point.id, point.label, point.planned) for point in LIBRARY.mission]
    assert points[0] == ("count-days", "count the days of a year", False)
    assert points[3] == ("other-calendars", "read other calendars", True)
    page = read_page("lessons/mission.md", b"## Success looks like\n\n- to see\n\n## Else\n\n- more\n")
    assert [(point.id, point.label) for point in read_mission(page)] == [(None, "to see")]


@given(
    st.lists(st.sampled_from(PIECES).flatmap(lambda piece: st.sampled_from([piece, f"    {piece}", ""])), max_size=30)
)
def test_any_page_is_read(lines: list[str]) -> None:
    page = read_page("lessons/lesson1.md", "\n".join(lines).encode())
    one = read_lesson(page)
    for span in [*(asked.span for asked in one.questions), *(rep.span for rep in one.reps)]:
        assert source(page, span).strip()
    read_term(page)
    read_mission(page)


def test_a_course_gives_whole_lessons() -> None:
    assert COURSE.lesson("lesson2").title == "The Day of the Week"
    assert [lesson.id for lesson in COURSE.lessons()] == ["lesson1", "lesson2", "lesson3"]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("---\ntitle", "title", "lesson1.md:1:1: the frontmatter is missing: keys and values between two lines of ---"),
        ("order: 1", "order: one", "lesson1.md:5:8: `order` must be the lesson's number in the course"),
        ("title: Leap Years", "title: a: b", "lesson1.md:2:9: a colon and a space inside a value"),
        ('<a id="mean-year"></a>', "", "question 3 of Practice must have an id"),
        ("    **Answer: 146,097 days** (exact)", "", "question 7 of Practice must have an answer"),
    ],
)
def test_a_broken_lesson_is_refused_with_its_place(tmp_path: Path, before: str, after: str, expected: str) -> None:
    root = tmp_path / "course"
    shutil.copytree(COURSE.file.parent, root)
    file = root / "lessons" / "lesson1.md"
    file.write_text(file.read_text("utf-8").replace(before, after, 1), "utf-8")
    with pytest.raises(CourseError) as raised:
        Course.read(root / "course.yml").lesson("lesson1")
    assert expected in str(raised.value)
    assert raised.value.file == file
    assert raised.value.line


def test_a_lesson_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="cannot be read: No such file"):
        COURSE.lesson("lesson99")


@pytest.mark.parametrize("name", ["lesson", "term"])
def test_schemas_are_closed_and_say_what_must_be(name: str) -> None:
    schema = json.loads((SCHEMAS / f"{name}.json").read_text())
    Draft202012Validator.check_schema(schema)
    assert schema["additionalProperties"] is False
    assert list(schema["patternProperties"]) == ["^x-"]
    assert all(part["description"] for part in schema["properties"].values())

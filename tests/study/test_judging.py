"""Answers as people type them, to the questions of the course and to some made up."""

from __future__ import annotations

import dataclasses
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.course import Course
from grader.course.lesson import Answer, Question
from grader.study import Unreadable, judge
from grader.study.quantities import read_quantity

TIMES = "\N{MULTIPLICATION SIGN}"
QUESTIONS = {
    question.id: question
    for lesson in Course.read(Path(__file__).parents[2] / "course.yml").lessons()
    for question in lesson.questions
}


def question(given: str, tolerance: str | None) -> Question:
    """A question whose answer is a number."""
    some = QUESTIONS["bytes-7b"]
    answer = Answer("value", given, tolerance, "", (), some.span)
    return dataclasses.replace(some, answer=answer)


def judged(asked: Question, typed: str) -> bool:
    tells = judge(asked)
    assert tells is not None
    return tells(typed)


@pytest.mark.parametrize(
    ("text", "amount", "unit"),
    [
        ("32", 32, ""),
        (f"32{TIMES}", 32, ""),
        ("32 times", 32, ""),
        ("4.5-fold", "4.5", ""),
        (" 96 bytes. ", 96, "byte"),
        ("1,024 B", 1024, "byte"),
        ("1 024\u00a0byte", 1024, "byte"),
        ("1.5 kB", 1500, "byte"),
        ("1.5 KiB", 1536, "byte"),
        ("2 GB", 2 * 10**9, "byte"),
        ("2GiB", 2**31, "byte"),
        ("3 tb", 3 * 10**12, "byte"),
        ("1 PiB", 2**50, "byte"),
        ("14.4 · 10⁹ parameters", 144 * 10**8, "parameter"),
        (f"14.4{TIMES}10^9 parameter", 144 * 10**8, "parameter"),
        ("14.4 * 10**9", 144 * 10**8, ""),
        ("1.44e10", 144 * 10**8, ""),
        ("10⁻³ s", "0.001", "s"),
        ("10^12", 10**12, ""),
        ("\N{MINUS SIGN}3", -3, ""),
        (".5 %", "0.5", "%"),
    ],
)
def test_a_number_is_read(text: str, amount: int | str, unit: str) -> None:
    found = read_quantity(text)
    assert found is not None
    assert (found.amount, found.unit) == (Decimal(amount), unit)


@pytest.mark.parametrize(
    "text", ["", "GB", "2,5", "1,24 GB", "1.2.3", "one", "16Ψ/N", "2 or 3", "1e9999", "10^", "-", ".", "9" * 61]
)
def test_what_is_no_number_is_none(text: str) -> None:
    assert read_quantity(text) is None


@given(st.integers(0, 10**15), st.sampled_from(["B", "kB", "MB", "GB", "TB", "KiB", "MiB", "GiB"]))
def test_thousands_may_be_set_apart(number: int, unit: str) -> None:
    assert (
        read_quantity(f"{number} {unit}") == read_quantity(f"{number:,}{unit}") == read_quantity(f"{number:,} {unit}s")
    )


@given(st.text(max_size=80))
def test_any_text_is_a_number_or_none(text: str) -> None:
    found = read_quantity(text)
    assert found is None or found.amount.is_finite()


@pytest.mark.parametrize("id", sorted(each for each in QUESTIONS if each))
def test_what_a_lesson_gives_is_right(id: str) -> None:
    asked = QUESTIONS[id]
    assert asked.answer is not None
    tells = judge(asked)
    assert (tells is None) == (asked.answer.kind == "model")
    for way in asked.answer.given.split(" or "):
        assert tells is None or tells(way)


@pytest.mark.parametrize("id", sorted(each.id for each in QUESTIONS.values() if each.id and each.choices))
def test_each_other_choice_is_wrong(id: str) -> None:
    asked = QUESTIONS[id]
    assert {choice.letter for choice in asked.choices if judged(asked, choice.letter)} == {
        choice.letter for choice in asked.choices if choice.right
    }


@pytest.mark.parametrize(
    ("typed", "right"),
    [
        ("1.875 GB", True),
        ("1.746 GiB", True),
        ("1875 MB", True),
        ("1.875e9 bytes", True),
        ("1.89 GB", True),
        ("1.894 GB", False),
        ("1.86 GB", True),
        ("1.855 GB", False),
        ("1.875 GiB", False),
        ("1.746 GB", False),
        ("-1.875 GB", False),
    ],
)
def test_a_tolerance_and_units(typed: str, right: bool) -> None:
    assert judged(QUESTIONS["bytes-7b"], typed) == right


@pytest.mark.parametrize(
    ("given", "tolerance", "typed", "right"),
    [
        (f"32{TIMES}", "exact", "32", True),
        (f"32{TIMES}", "exact", "32.0", True),
        (f"32{TIMES}", "exact", "32.01", False),
        (f"32{TIMES}", None, "31", False),
        ("96 bytes", "exact", "96", True),
        ("96 bytes", "exact", "0.096 kB", True),
        ("0 bytes", "± 5 %", "0", True),
        ("-4", "± 25 %", "-5", True),
        ("-4", "± 25 %", "4", False),
        ("14.4 · 10⁹ parameters", "± 1 %", "14.5e9", True),
        ("14.4 · 10⁹ parameters", "± 1 %", "14.4", False),
        ("20 %", "±5%", "20", True),
    ],
)
def test_a_number_is_judged(given: str, tolerance: str | None, typed: str, right: bool) -> None:
    assert judged(question(given, tolerance), typed) == right


@pytest.mark.parametrize(
    ("given", "typed", "message"),
    [
        ("2 GB", "2", "In which unit"),
        ("2 GB", "2 parameters", "asks for bytes"),
        ("2 GB", "two", "Type a number"),
        (f"2{TIMES}", "2 GB", "a number alone"),
        ("2 parameters", "2 GB", "the unit parameter"),
    ],
)
def test_what_cannot_be_meant_is_asked_again(given: str, typed: str, message: str) -> None:
    with pytest.raises(Unreadable, match=message):
        judged(question(given, "exact"), typed)


@pytest.mark.parametrize(
    ("given", "tolerance"), [("16Ψ/N bytes", "exact"), ("2 GB", "about"), ("2 GB or more", "exact")]
)
def test_what_no_machine_can_judge_is_left_to_the_learner(given: str, tolerance: str) -> None:
    assert judge(question(given, tolerance)) is None


@pytest.mark.parametrize("typed", ["c", "C", " c) ", "c."])
def test_a_letter_may_be_typed_in_several_ways(typed: str) -> None:
    assert judged(QUESTIONS["why-not-free"], typed)


@pytest.mark.parametrize("typed", ["e", "", "1", "c?", "the third", "and"])
def test_what_is_no_choice_is_asked_again(typed: str) -> None:
    with pytest.raises(Unreadable, match="Type a, b, c or d"):
        judged(QUESTIONS["why-not-free"], typed)


@pytest.mark.parametrize(
    ("typed", "right"),
    [("a and c", True), ("c, a", True), ("ac", True), ("a) c)", True), ("a", False), ("a b c", False)],
)
def test_several_choices(typed: str, right: bool) -> None:
    some = QUESTIONS["why-not-free"]
    assert some.answer is not None
    answer = dataclasses.replace(some.answer, given="a and c")
    assert judged(dataclasses.replace(some, answer=answer), typed) == right

"""Whether what somebody typed is the answer to a question."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from decimal import Decimal

from grader.course.lesson import Answer, Choice, Question
from grader.study.quantities import Quantity, read_quantity

_PERCENT = re.compile(r"±\s*(\d+(?:\.\d+)?)\s*%")
_LETTERS = re.compile(r"[a-z]")


class Unreadable(Exception):
    """What was typed is no answer to the question. The message says what would be."""


def judge(question: Question) -> Callable[[str], bool] | None:
    """What tells whether a typed answer is right, and raises Unreadable; None if only the learner can tell."""
    answer = question.answer
    if answer is None or answer.kind == "model":
        return None
    if answer.kind == "choice":
        return lambda typed: _chosen(typed, question.choices) == set(_LETTERS.findall(answer.given.replace("and", "")))
    expected, tolerance = _expected(answer), _tolerance(answer)
    if expected is None or tolerance is None:
        return None
    return lambda typed: _is_near(_typed(typed, expected), expected, tolerance)


def letters(choices: Iterable[Choice]) -> str:
    """The letters of choices, as one says them.

    >>> from grader.course.page import Span
    >>> letters(Choice(letter, "", Span(1, 1, 1, 1)) for letter in "abc")
    'a, b or c'
    """
    *others, last = (choice.letter for choice in choices)
    return f"{', '.join(others)} or {last}" if others else last


def _chosen(typed: str, choices: tuple[Choice, ...]) -> set[str]:
    """The letters in what was typed: ``c``, ``C)``, ``a, b`` or ``a and b``."""
    known = {choice.letter for choice in choices}
    found = re.fullmatch(r"[a-z](?:[\s,)]*(?:and\s+)?[a-z])*[\s).]*", typed.strip().lower())
    chosen = set(_LETTERS.findall(re.sub(r"\band\b", "", typed.lower())))
    if found is None or not chosen or not chosen <= known:
        raise Unreadable(f"Type {letters(choices)}.")
    return chosen


def _expected(answer: Answer) -> tuple[Quantity, ...] | None:
    """The ways in which the answer is given; None if one of them is no number with a unit."""
    ways = [read_quantity(way) for way in re.split(r"\s+or\s+", answer.given)]
    return None if None in ways else tuple(way for way in ways if way is not None)


def _tolerance(answer: Answer) -> Decimal | None:
    """The share by which an answer may be off, 0 if it is exact; None if that cannot be read."""
    if answer.tolerance is None or answer.tolerance == "exact":
        return Decimal(0)
    percent = _PERCENT.fullmatch(answer.tolerance.strip())
    return None if percent is None else Decimal(percent[1]) / 100


def _typed(text: str, expected: tuple[Quantity, ...]) -> Quantity:
    found = read_quantity(text)
    if found is None:
        raise Unreadable("Type a number, with its unit if it has one: 1.5, 1,024 bytes, 2.5 GB, 3e9 or 3 * 10^9.")
    if found.unit or all(way.bare for way in expected):
        if found.unit and found.unit not in {way.unit for way in expected}:
            raise Unreadable(f"This asks for {_kind(expected[0])}.")
        return found
    raise Unreadable("In which unit? GB and GiB, for example, are not the same.")


def _kind(expected: Quantity) -> str:
    known = {"byte": "bytes, KB, MB, GB or the like", "": "a number alone"}
    return known.get(expected.unit, f"a number with the unit {expected.unit}")


def _is_near(typed: Quantity, expected: tuple[Quantity, ...], tolerance: Decimal) -> bool:
    return any(abs(typed.amount - way.amount) <= abs(way.amount) * tolerance for way in expected)

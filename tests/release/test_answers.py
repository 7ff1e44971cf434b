"""What would tell an answer is found however it is written, and the words of the matter are not taken for answers."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.release.answers import answers, leaks
from grader.release.cut import cut
from grader.results import Planned

SUITE = Path(__file__).parents[1] / "cases" / "release" / "suite"
PLANNED = [
    Planned("pairs-shown", "pairs", "t", Decimal(1)),
    Planned("pairs-hidden", "pairs", "t", Decimal(2), "hidden"),
]
SECRETS = answers(cut(SUITE, PLANNED))
SPACE = st.text(" \n\t", max_size=3)


def found(text: str, file: str = "lessons/lesson1.md") -> list[tuple[str, int]]:
    return [
        (leak.answer.owner, leak.line)
        for leak in leaks(SECRETS, {file: text.encode()}, lambda name: name.startswith("grader/"))
    ]


@pytest.mark.parametrize(
    ("text", "owner"),
    [
        ("It finds them in odd\n  sizes, too.", "pairs-hidden"),
        ("# a product that gives\n# it away for", "pairs-hidden"),
        ("`pairs-hidden` is one", "pairs-hidden"),
        ("A helper for nobody to see.", "secret"),
        ("try [( 7, 11,\n13)]", "SECRET_SIZES"),
        ("exactly 7,654,321 of them", "SECRET_LIMIT"),
        ("size = 7_654_321", "SECRET_LIMIT"),
        ("or 7654321.", "SECRET_LIMIT"),
        ('ask for "secret" by name', "secret"),
        ("write `prime sizes`", "pairs-hidden"),
    ],
)
def test_an_answer_is_found(text: str, owner: str) -> None:
    assert (owner, 2) in found(f"\n{text}")


@pytest.mark.parametrize(
    "text",
    [
        "finds neighbours",  # the visible criterion says so
        "4096 and (2, 3), (4, 5)",
        "a secret of the house, which has prime sizes",
        "17, 19 and 23",
        "17654321, 7.654321, 7,654,3210 and 7654321.5",
    ],
)
def test_words_of_the_matter_are_none(text: str) -> None:
    assert found(text) == []


def test_a_number_or_a_word_may_stand_in_the_tool_which_knows_no_suite() -> None:
    assert found('LIMIT = 7_654_321, "secret"', "grader/limits.py") == []
    assert found("(7, 11, 13)", "grader/limits.py") == [("SECRET_SIZES", 1)]


def test_coordinates_of_a_picture_are_no_answers_and_its_text_is_read() -> None:
    assert found('<path d="M 7654321 4"/>', "lessons/figures/a.svg") == []
    assert found("<desc>7654321</desc>", "lessons/figures/a.svg") == [("SECRET_LIMIT", 1)]


@given(st.lists(SPACE, min_size=6, max_size=6))
def test_space_hides_nothing(space: list[str]) -> None:
    tokens = ["(", "7,", "11,", "13", ")", ""]
    assert ("SECRET_SIZES", 1) in found("".join(each + blank for each, blank in zip(tokens, space, strict=True)))

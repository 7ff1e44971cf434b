"""Right choices over a whole course: where they stand, and how long they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course import Course
from grader.course.library import Library
from grader.rules import rules
from grader.rules.engine import check

COURSE = "schema: 1\ntitle: Questions\ndescription: Asking them.\n"


def question(number: int, place: int, choices: int, long: bool) -> str:
    letters = "abcd"[:choices]
    texts = ["a choice" + " that goes on" * (long and each == place) for each in range(choices)]
    asked = "".join(f"    - {letter}) {text}\n" for letter, text in zip(letters, texts, strict=True))
    said = "".join(f"    - {letter}) {'Yes' if each == place else 'No'}. Why.\n" for each, letter in enumerate(letters))
    answer = f"    <details>\n\n    **Answer: {letters[place]}**\n\n{said}\n    </details>\n"
    return f'{number}. <a id="q-{number}"></a>Which?\n\n{asked}\n{answer}\n'


def found(root: Path, rule: str, places: list[int], choices: int = 4, long: int = 0) -> list[str]:
    """What a rule says of a course with right choices at ``places``, the first ``long`` of which are the longest."""
    (root / "lessons").mkdir()
    (root / "course.yml").write_text(COURSE)
    asked = "".join(question(each, place, choices, each <= long) for each, place in enumerate(places, 1))
    (root / "lessons" / "lesson1.md").write_text(f"## Practice\n\n{asked}")
    library = Library(root, Course.read(root / "course.yml"))
    return [finding.message for finding in check(library, [rules()[rule]])]


@pytest.mark.parametrize(
    ("counts", "choices", "skewed"),
    [
        ((28, 51, 17, 1), 4, True),
        ((12, 3, 3, 3), 4, True),
        ((11, 4, 3, 3), 4, False),
        ((5, 5, 5, 5), 4, False),
        ((19, 0, 0, 0), 4, False),
        ((0, 0, 0, 20), 4, True),
        ((13, 4, 4), 3, False),
        ((14, 4, 3), 3, True),
        ((0, 0, 0, 0), 4, False),
    ],
)
def test_right_choices_at_one_place(counts: tuple[int, ...], choices: int, skewed: bool, tmp_path: Path) -> None:
    places = [place for place, count in enumerate(counts) for _ in range(count)]
    messages = found(tmp_path, "answer-position", places, choices)
    assert len(messages) == skewed
    for message in messages:
        shares = ", ".join(f"{letter} {count}" for letter, count in zip("abcd", counts, strict=False))
        assert message.startswith(f"{sum(counts)} right choices stand at {shares};")


@pytest.mark.parametrize(
    ("asked", "long", "skewed"), [(20, 10, True), (20, 9, False), (19, 19, False), (60, 23, True), (60, 22, False)]
)
def test_right_choices_that_are_the_longest(asked: int, long: int, skewed: bool, tmp_path: Path) -> None:
    messages = found(tmp_path, "answer-length", [each % 4 for each in range(asked)], long=long)
    assert len(messages) == skewed
    for message in messages:
        assert message.startswith(f"in {long} of {asked} questions")

"""What is made of a draft: a lesson, as far as its lines say what they are, and no word is lost."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.course.drafts import shaped
from grader.course.lesson import SECTIONS

TESTS = Path(__file__).parents[1]
LESSONS = sorted((TESTS / "cases" / "small_course" / "lessons").glob("lesson*.md"))
LESSONS += sorted((TESTS.parent / "lessons").glob("lesson*.md"))

LINES = st.sampled_from(
    [
        "---", "title: 10. ZeRO Stage 3: More", "title: Plain", "Title: \"Quoted\"", "order: 4", "mission: x",
        "prerequisites: [lesson09]", "Prerequisites: a, b",
        "  nested: 1", "- item", "# Heading", "Lesson 10. ZeRO Stage 3: More", "",
        *SECTIONS, "**Practice**", "## Warm-up", "practice:", "Not landing",
        "• point", "  ◦ inner", "▢ Now, 10 min. Read it. Done when read.", "☑ done", "- [x] Tomorrow (5 minutes): Go",
        "1. What?", "2) Why?", "   3. How?", "    4. Inner", "a) One.", "B. Two", "  - c) Three", "continued",
        "Answer: c", "Answer: B) since it is", "**Answer: 1.5 GB** (± 1 %)", "Answer: 7", "Model answer. Because.",
        "Answer", "Answer: 12 of them are whole, and the others are not", "    <details>", "    </details>",
        "```", "```python", "~~~", "    ```", "| a | b |", '1. <a id="x"></a>Which?', "\tTab", "梯度 分片",
    ]
)  # fmt: skip
DRAFTS = st.lists(LINES | st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=30), max_size=25)


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.casefold()))


@given(DRAFTS)
def test_no_word_is_lost(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert words(text) - words(shaped(text)) == Counter()


@given(DRAFTS)
def test_code_stays_as_it_is(lines: list[str]) -> None:
    code = [f"  {line}" for line in lines if not re.match(r"\s*(```|~~~)", line)]
    text = "\n".join(["Know this", "", "````", *code, "````"])
    assert "\n".join(["````", *code, "````"]) in shaped(text)


@pytest.mark.parametrize("file", LESSONS, ids=lambda file: f"{file.parents[1].name}-{file.stem}")
def test_a_lesson_stays_as_it_is(file: Path) -> None:
    text = file.read_text("utf-8")
    assert shaped(text) == text


def test_line_ends_stay_as_they_are() -> None:
    made = shaped("title: 1. A\r\n\r\nPractice\r\n• x\r\n")
    assert made.count("\r\n") == made.count("\n") > 5


@pytest.mark.parametrize(
    ("line", "made"),
    [
        ("• one", "- one"),
        ("  ▪ two", "  - two"),
        ("▢ three", "- [ ] three"),
        ("- ☑ four", "- [x] four"),
        ("· five", "· five"),
        ("a • b", "a • b"),
    ],
)
def test_signs_become_marks(line: str, made: str) -> None:
    assert shaped(f"Know this\n\n{line}\n") == f"## Know this\n\n{made}\n"


@pytest.mark.parametrize(
    ("line", "made"),
    [
        ("▢ Now, 5 min. Go.", '- [ ] <a id="rep-1"></a>**Now, 5 min.** Go.'),
        ("• Tomorrow (5 minutes): Go.", '- [ ] <a id="rep-1"></a>**Tomorrow, 5 minutes.** Go.'),
        ("This week, 15 min: Go.", '- [ ] <a id="rep-1"></a>**This week, 15 min.** Go.'),
        ("☑ Go.", '- [x] <a id="rep-1"></a>Go.'),
        ("Go.", "Go."),
    ],
)
def test_a_rep_has_a_box_an_id_and_a_time(line: str, made: str) -> None:
    assert shaped(f"Real-world reps\n{line}\n") == f"## Real-world reps\n\n{made}\n"


def test_reps_are_a_list_of_their_own() -> None:
    made = '## Real-world reps\n\nDo these.\n\n- [ ] <a id="rep-1"></a>One.\n- [ ] <a id="rep-2"></a>Two.\n'
    assert shaped("Real-world reps\nDo these.\n▢ One.\n▢ Two.\n") == made


@pytest.mark.parametrize(
    ("answer", "made"),
    [
        ("Answer: 7", "**Answer: 7**"),
        ("answer: ≈ 1.5 GB (± 1 %)", "**Answer: ≈ 1.5 GB** (± 1 %)"),
        ("Answer: ~1.5 GB (± 1 %)", "**Answer: ~1.5 GB** (± 1 %)"),
        ("**Answer: 32 TB** (exact)", "**Answer: 32 TB** (exact)"),
        ("Answer: 2 of these, and none of the other ones", "**Model answer.** 2 of these, and none of the other ones"),
        ("Model answer. 7", "**Model answer.** 7"),
        ("Answer:\nSo it is.", "**Model answer.** So it is."),
        ("Answer: c", "**Model answer.** c"),
        ("Answer", "**Model answer.**"),
    ],
)
def test_an_answer_says_of_which_kind_it_is(answer: str, made: str) -> None:
    assert f"    {made}\n\n    </details>\n" in shaped(f"Practice\n1. How?\n{answer}\n")


@pytest.mark.parametrize(
    ("answer", "made"),
    [
        ("Answer: B", "**Answer: b**"),
        ("Answer: b) as it must", "**Answer: b**\n\n    as it must"),
        ("**Answer: b**", "**Answer: b**"),
        ("Answer: both", "**Model answer.** both"),
    ],
)
def test_the_answer_to_choices_is_a_letter(answer: str, made: str) -> None:
    assert f"    {made}\n\n    </details>\n" in shaped(f"Practice\n1. How?\na) So.\nb) Thus.\n{answer}\n")


@pytest.mark.parametrize(
    ("draft", "head"),
    [
        ("title: 3. A\n", "title: A\norder: 3\ntype: lesson"),
        ("Title: 3. A\nOrder: 4\n", "title: 3. A\norder: 4\ntype: lesson"),
        ("---\ntitle: A\n---\n", "title: A\ntype: lesson"),
        ("---\ntitle: A\n\nText: b\n", "title: A\ntype: lesson"),
        ("\n\ntitle: A\ntype: lesson\n---\n", "title: A\ntype: lesson"),
        ("Lesson 3. A\n\nText.\n", "title: A\norder: 3\ntype: lesson"),
        ("title: A\nprerequisites: one,two\n", "title: A\nprerequisites: [one, two]\ntype: lesson"),
        ("title: A\nPrerequisites: [one]\n", "title: A\nprerequisites: [one]\ntype: lesson"),
        ("title\uff1aA\n", "title\uff1aA\ntype: lesson"),
    ],
)
def test_keys_get_their_fences(draft: str, head: str) -> None:
    assert shaped(draft).startswith(f"---\n{head}\n---\n\n# ")


def test_text_without_a_title_gets_no_head() -> None:
    assert shaped("Note: this.\n\nText.\n") == "Note: this.\n\nText.\n"

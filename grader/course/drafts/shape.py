"""A draft, part by part. No word of it is left out: what no part knows stays as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from grader.course.drafts.head import split, write_head
from grader.course.drafts.lines import Line, Lines, numbered
from grader.course.drafts.questions import write_questions
from grader.course.drafts.reps import write_reps
from grader.course.lesson import PRACTICE, REPS, SECTIONS, WARM_UP

_TITLES = {title.casefold().rstrip("?"): title for title in SECTIONS}


def shaped(text: str) -> str:
    """Bring a draft into the form of a lesson.

    >>> print(shaped("title: 3. Units\\n\\nPractice\\n1) How many?\\nAnswer: 7\\n"))
    ---
    title: Units
    order: 3
    type: lesson
    ---
    <BLANKLINE>
    # Lesson 3. Units
    <BLANKLINE>
    ## Practice
    <BLANKLINE>
    1. <a id="practice-1"></a>How many?
    <BLANKLINE>
        <details>
        <summary>Answer</summary>
    <BLANKLINE>
        **Answer: 7**
    <BLANKLINE>
        </details>
    <BLANKLINE>
    """
    end = "\r\n" if "\r\n" in text else "\n"
    head, body = split(text.replace("\r\n", "\n").split("\n"))
    out = Lines()
    for title, lines in _parts(write_head(out, head, body)):
        if title is not None:
            out.block(f"## {title}")
        if title in (WARM_UP, PRACTICE):
            write_questions(out, lines, title.casefold())
        elif title == REPS:
            write_reps(out, lines)
        else:
            out.plain(lines)
    return end.join(out.texts).rstrip() + end


def _parts(body: Sequence[str]) -> Iterator[tuple[str | None, list[Line]]]:
    """The lines before the first section, and those of each section by its title."""
    title: str | None = None
    lines: list[Line] = []
    for line in numbered(body):
        found = None if line.code else _TITLES.get(re.sub(r"[#*_:\s?]+$|^[#*_\s]+", "", line.text).casefold())
        if found is None:
            lines.append(line)
            continue
        yield title, lines
        title, lines = found, []
    yield title, lines

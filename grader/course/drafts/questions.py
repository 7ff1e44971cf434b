"""The questions of a draft: number, text, choices and answer, by what their lines begin with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import dropwhile, pairwise

from grader.course.drafts.lines import Line, Lines

_QUESTION = re.compile(r" {0,3}(\d+)[.)]\s+(.*)")
_CHOICE = re.compile(r"\s*(?:[-*]\s+)?([a-hA-H])[.)]\s+(.*)")
_ANSWER = re.compile(r"\s*[*_]*(model )?answer(?:[*_]*\s*[:.][*_]*\s*(.*)|[*_]*\s*)", re.IGNORECASE)
_LETTER = re.compile(r"\(?([a-hA-H])(?:\)|\b)[.:,*]*\s*(.*)")
_VALUE = re.compile(r"([\u2248~\u00b1+-]?\s?\d[^\s*]*(?: [^\s(*][^\s*]*){0,3}?)[.*]*(\s*\([^()]*\))?")


@dataclass(slots=True)
class _Draft:
    """A question as it is read."""

    text: list[str]
    choices: list[list[str]] = field(default_factory=list)
    reasons: list[list[str]] = field(default_factory=list)
    answer: list[str] | None = None
    model: bool = False


def write_questions(out: Lines, lines: Sequence[Line], prefix: str) -> None:
    """Write the lines of a section, of which each that begins with a number in the margin is a question."""
    starts = [index for index, line in enumerate(lines) if not line.code and _QUESTION.fullmatch(line.text)]
    out.plain(lines[: starts[0]] if starts else lines)
    for number, (start, end) in enumerate(pairwise([*starts, len(lines)]), 1):
        first = _QUESTION.fullmatch(lines[start].text)
        assert first is not None
        anchor = "" if first[2].startswith("<a ") else f'<a id="{prefix}-{number}"></a>'
        out.gap()
        block = [Line(f"{first[1]}. {anchor}{first[2]}"), *lines[start + 1 : end]]
        out.add(*([line.text for line in block] if _is_whole(block) else _written(_read(block))))


def _is_whole(block: Sequence[Line]) -> bool:
    """Whether the question has the form of one already."""
    return any("<details" in line.text for line in block)


def _read(block: Sequence[Line]) -> _Draft:
    draft = _Draft([block[0].text])
    current = draft.text
    for line in block[1:]:
        answer = None if line.code else _ANSWER.fullmatch(line.text)
        choice = None if line.code else _CHOICE.fullmatch(line.marked)
        if answer and draft.answer is None:
            current = draft.answer = [answer[2] or ""]
            draft.model = bool(answer[1])
        elif choice:
            current = [f"- {choice[1].lower()}) {choice[2]}"]
            (draft.choices if draft.answer is None else draft.reasons).append(current)
        else:
            current.append(line.text if line.code else re.sub(r"^( {1,4}|\t)", "", line.marked))
    return draft


def _written(draft: _Draft) -> Iterator[str]:
    yield draft.text[0]
    yield from _indented(draft.text[1:])
    yield from _list(draft.choices)
    if draft.answer is not None:
        yield from ("", "    <details>", "    <summary>Answer</summary>", "")
        yield from _indented(_answer(draft))
        yield from _list(draft.reasons)
        yield from ("", "    </details>", "")


def _list(items: Sequence[Sequence[str]]) -> Iterator[str]:
    if items:
        yield ""
    for first, *more in items:
        yield f"    {first}"
        yield from (f"      {text.lstrip()}" for text in more if text.strip())


def _indented(texts: Sequence[str]) -> list[str]:
    """The lines in a question's indentation, without blank ones at the end."""
    kept = list(dropwhile(lambda text: not text.strip(), reversed(texts)))
    return [f"    {text}".rstrip() for text in reversed(kept)]


def _answer(draft: _Draft) -> list[str]:
    """The answer, after the bold words that say of which kind it is."""
    first, *rest = list(dropwhile(lambda text: not text.strip(), draft.answer or ())) or [""]
    letter, value = _LETTER.fullmatch(first), _VALUE.fullmatch(first)
    if draft.choices and letter and not draft.model:
        return [f"**Answer: {letter[1].lower()}**", *_apart([letter[2], *rest])]
    if not draft.choices and value and not draft.model:
        return [f"**Answer: {value[1]}**{value[2] or ''}", *_apart(rest)]
    return [f"**Model answer.** {first}".rstrip(), *rest]


def _apart(texts: Sequence[str]) -> list[str]:
    """The lines as a paragraph of their own."""
    said = list(dropwhile(lambda text: not text.strip(), texts))
    return ["", *said] if said else []

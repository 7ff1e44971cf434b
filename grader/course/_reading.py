"""Reads a lesson, a term and the mission from the tokens of their pages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, takewhile
from pathlib import PurePosixPath
from textwrap import dedent
from typing import TYPE_CHECKING, Any, NamedTuple

from grader.course.lesson import (
    PRACTICE,
    REPS,
    SUCCESS,
    WARM_UP,
    Answer,
    Choice,
    Lesson,
    MissionPoint,
    Question,
    Rep,
    Section,
    SourceWork,
    Term,
    kind_of,
)
from grader.course.page import Page, Span

if TYPE_CHECKING:
    from markdown_it.token import Token

    Block = Sequence[Token]

_ID = re.compile(r"""<a\s(?:[^>]*\s)?(?:id|name)\s*=\s*(?P<quote>["'])(?P<id>.*?)(?P=quote)[^>]*>\s*</a>\s*""")
_CHOICE = re.compile(r"([a-z])\)\s+(.*)", re.DOTALL)
_VERDICT = re.compile(r"(?P<bold>\*\*|__|)(?P<said>Yes|No)\b[.,:;]?(?P=bold)[.,:;]?\s*(?P<why>.*)", re.DOTALL)
_ANSWER = re.compile(
    r"\*\*Answers?:\s*(?P<given>.+?)\*\*(?P<others>(?:\s+or\s+\*\*.+?\*\*)*)(?:\s*\((?P<tolerance>[^)]*)\))?", re.DOTALL
)
_LETTERS = re.compile(r"[a-z](?:(?:,? and |, )[a-z])*")
_MODEL = "**Model answer"
_BOX = re.compile(r"\[[ xX]\]\s+")
_DAY_AND_TIME = re.compile(r"\*\*([^*,.]+?)(?:,\s*(\d+)\s*min(?:utes)?)?\.?\*\*\s*")
_LABEL = re.compile(r"\*\*(.+?)\*\*")
_DONE_WHEN = re.compile(r"\bDone when\b\s*")
_CONTINUED = re.compile(r"\n[ \t]+")
_CAN = "After this lesson you can"


class _Part(NamedTuple):
    """A section, with the blocks under its heading; the head of the page has no section."""

    section: Section | None
    blocks: list[Block]


def read_lesson(page: Page) -> Lesson:
    """The lesson that a page is. What is missing or malformed is empty or None."""
    data: Mapping[str, Any] = {} if page.frontmatter is None else page.frontmatter.data
    head, *parts = _parts(page)
    return Lesson(
        id=PurePosixPath(page.path).stem,
        page=page,
        title=_string(data, "title") or "",
        description=_string(data, "description") or "",
        order=_number(data, "order"),
        mission=_string(data, "mission"),
        prerequisites=_strings(data, "prerequisites"),
        source=_source(data.get("source")),
        minutes=_number(data, "minutes"),
        draft=data.get("status") == "draft",
        head=_head_list(page, head.blocks),
        lead=_lead(page, head.blocks),
        objectives=_objectives(head.blocks),
        sections=tuple(part.section for part in parts if part.section is not None),
        warm_up=tuple(_questions(page, WARM_UP, parts)),
        practice=tuple(_questions(page, PRACTICE, parts)),
        reps=tuple(_reps(page, parts)),
    )


def read_term(page: Page) -> Term:
    """The term that a page explains."""
    data: Mapping[str, Any] = {} if page.frontmatter is None else page.frontmatter.data
    return Term(
        id=PurePosixPath(page.path).stem,
        page=page,
        title=_string(data, "title") or "",
        aliases=_strings(data, "aliases"),
        lesson=_string(data, "lesson"),
    )


def read_mission(page: Page) -> tuple[MissionPoint, ...]:
    """The points that the page of the mission lists under "Success looks like"."""
    return tuple(
        _mission_point(page, item)
        for part in _parts(page)
        if part.section is not None and part.section.title == SUCCESS
        for block in part.blocks
        if _is(block, "bullet_list_open")
        for item in _items(block)
    )


def _mission_point(page: Page, item: Block) -> MissionPoint:
    id, text = _take_id(_markdown(page, _items(item)))
    label = _LABEL.match(text)
    return MissionPoint(id, text if label is None else label[1].rstrip(".:"), "(planned)" in text, _span(page, item))


def _string(data: Mapping[str, Any], key: str) -> str | None:
    value = data.get(key)
    return value if isinstance(value, str) else None


def _strings(data: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = data.get(key)
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _number(data: Mapping[str, Any], key: str) -> int | None:
    value = data.get(key)
    return value if type(value) is int else None


def _source(data: Any) -> SourceWork | None:
    if not isinstance(data, dict):
        return None
    kind, title, by, url = (_string(data, key) for key in ("kind", "title", "by", "url"))
    if kind is None or title is None or by is None or url is None:
        return None
    return SourceWork(kind, title, by, url, _number(data, "year"))


def _blocks(tokens: Block) -> Iterator[Block]:
    """The blocks that stand side by side in ``tokens``, each with all that is in it."""
    start = depth = 0
    for index, token in enumerate(tokens, 1):
        depth += token.nesting
        if depth == 0:
            yield tokens[start:index]
            start = index


def _items(block: Block) -> list[Block]:
    return list(_blocks(block[1:-1]))


def _is(block: Block, kind: str) -> bool:
    return block[0].type == kind


def _parts(page: Page) -> list[_Part]:
    """The head of the page, then each section."""
    parts = [_Part(None, [])]
    ends: list[int] = []
    titles: list[tuple[str, Span]] = []
    for block in _blocks(page.tokens):
        if _is(block, "heading_open") and block[0].tag == "h2":
            span = _span(page, block)
            titles.append((block[1].content, span))
            ends.append(span.line - 1)
            parts.append(_Part(None, []))
        else:
            parts[-1].blocks.append(block)
    line, column = page.text.position(len(page.text.content))
    ends = [*ends[1:], line - (column == 1)]
    sections = [Section(title, span, end) for (title, span), end in zip(titles, ends, strict=False)]
    return [parts[0], *(_Part(section, part.blocks) for section, part in zip(sections, parts[1:], strict=True))]


def _lines(block: Block) -> tuple[int, int]:
    """The first line of a block and the one after its last, from 0."""
    start, end = block[0].map or (0, 0)
    return start, end


def _span(page: Page, first: Block, last: Block | None = None) -> Span:
    """From the first character of a block to the last of it, or of another one."""
    start, end = _lines(first)[0], _lines(first if last is None else last)[1]
    while end > start + 1 and not page.text.line(end).strip():
        end -= 1
    line = page.text.line(start + 1)
    return Span(start + 1, len(line) - len(line.lstrip()) + 1, end, len(page.text.line(end).rstrip()) + 1)


def _markdown(page: Page, blocks: Sequence[Block]) -> str:
    """Blocks as Markdown, without the indentation of what they stand in."""
    return "\n\n".join(_one_as_markdown(page, block) for block in blocks)


def _one_as_markdown(page: Page, block: Block) -> str:
    if _is(block, "paragraph_open"):
        return _CONTINUED.sub("\n", block[1].content)
    start, end = _lines(block)
    return dedent("\n".join(page.text.line(number) for number in range(start + 1, end + 1))).strip("\n")


def _before_objectives(head: Sequence[Block]) -> list[Block]:
    return list(takewhile(lambda block: not _says_can(block), head))


def _head_list(page: Page, head: Sequence[Block]) -> Span | None:
    lists = [block for block in _before_objectives(head) if _is(block, "bullet_list_open")]
    return _span(page, lists[0]) if lists else None


def _lead(page: Page, head: Sequence[Block]) -> str:
    return _markdown(page, [block for block in _before_objectives(head) if _is(block, "paragraph_open")])


def _says_can(block: Block) -> bool:
    return _is(block, "paragraph_open") and block[1].content.startswith(_CAN)


def _objectives(head: Sequence[Block]) -> tuple[str, ...]:
    for before, block in pairwise(head):
        if _says_can(before) and _is(block, "bullet_list_open"):
            return tuple(_first_line(item) for item in _items(block))
    return ()


def _first_line(item: Block) -> str:
    """The Markdown of the paragraph that a list item begins with."""
    inner = item[1:-1]
    return inner[1].content if len(inner) > 1 and _is(inner, "paragraph_open") else ""


def _questions(page: Page, title: str, parts: Sequence[_Part]) -> Iterator[Question]:
    for part in parts:
        if part.section is not None and part.section.title == title:
            for block in part.blocks:
                if _is(block, "ordered_list_open"):
                    first = int(block[0].attrGet("start") or 1)
                    for number, item in enumerate(_items(block), first):
                        yield _question(page, title, number, item)


def _question(page: Page, section: str, number: int, item: Block) -> Question:
    inner = _items(item)
    opening = next((index for index, block in enumerate(inner) if _details(block, "<details")), len(inner))
    closing = next((index for index, block in enumerate(inner) if _details(block, "</details")), len(inner))
    asked, said = inner[:opening], inner[opening + 1 : closing]
    choices = next((block for block in asked if _is_choices(block)), None)
    id, text = _take_id(_markdown(page, [block for block in asked if block is not choices]))
    verdicts = {letter: verdict for block in said if _is_choices(block) for letter, verdict in _verdicts(page, block)}
    found = () if choices is None else tuple(_choice(page, item, verdicts) for item in _items(choices))
    span = _span(page, inner[opening], inner[min(closing, len(inner) - 1)]) if said else None
    answer = None if span is None else _answer(page, said, span, bool(found))
    return Question(id, number, section, text, found, answer, _span(page, item))


def _details(block: Block, tag: str) -> bool:
    return _is(block, "html_block") and tag in block[0].content


def _take_id(text: str) -> tuple[str | None, str]:
    """The id that a text begins with, and the text after it."""
    match = _ID.match(text)
    return (None, text) if match is None else (match["id"], text[match.end() :])


def _is_choices(block: Block) -> bool:
    return _is(block, "bullet_list_open") and any(_CHOICE.match(_first_line(item)) for item in _items(block))


def _lettered(page: Page, item: Block) -> tuple[str, str]:
    """The letter of a choice, and what is written after it."""
    text = _markdown(page, _items(item))
    match = _CHOICE.match(text)
    return ("", text) if match is None else (match[1], match[2])


def _verdicts(page: Page, block: Block) -> Iterator[tuple[str, tuple[bool | None, str]]]:
    for item in _items(block):
        letter, text = _lettered(page, item)
        match = _VERDICT.match(text)
        yield letter, (None, text) if match is None else (match["said"] == "Yes", match["why"])


def _choice(page: Page, item: Block, verdicts: Mapping[str, tuple[bool | None, str]]) -> Choice:
    letter, text = _lettered(page, item)
    right, reason = verdicts.get(letter, (None, ""))
    return Choice(letter, text, _span(page, item), right, reason or None)


def _answer(page: Page, said: Sequence[Block], span: Span, has_choices: bool) -> Answer | None:
    first = said[0][1].content if _is(said[0], "paragraph_open") else ""
    text = _markdown(page, said)
    recalls = tuple(_recalled(page, span))
    if first.startswith(_MODEL):
        return Answer("model", "", None, text, recalls, span)
    match = _ANSWER.match(first)
    if match is None:
        return None
    given = match["given"] + match["others"].replace("**", "")
    is_choice = has_choices and _LETTERS.fullmatch(given)
    return Answer("choice" if is_choice else "value", given, match["tolerance"], text, recalls, span)


def _recalled(page: Page, span: Span) -> Iterator[str]:
    """The lessons to which an answer links."""
    for link in page.links:
        if span.line <= link.span.line <= span.end_line:
            path = PurePosixPath(page.path).parent / link.target.partition("#")[0]
            if kind_of(str(path)) == "lesson":
                yield path.stem


def _reps(page: Page, parts: Sequence[_Part]) -> Iterator[Rep]:
    for part in parts:
        if part.section is not None and part.section.title == REPS:
            for block in part.blocks:
                if _is(block, "bullet_list_open"):
                    for item in _items(block):
                        yield _rep(page, item)


def _rep(page: Page, item: Block) -> Rep:
    """A rep. Its text is what to do, without the day and time before it and "Done when" after it."""
    text = _markdown(page, _items(item))
    box = _BOX.match(text)
    id, text = _take_id(text if box is None else text[box.end() :])
    timing = _DAY_AND_TIME.match(text)
    day, minutes = (None, None) if timing is None else (timing[1], timing[2])
    to_do, *done = _DONE_WHEN.split(text if timing is None else text[timing.end() :], maxsplit=1)
    return Rep(
        id=id,
        day=day,
        minutes=None if minutes is None else int(minutes),
        text=to_do.strip(),
        done_when=done[0].strip() if done and done[0].strip() else None,
        span=_span(page, item),
    )

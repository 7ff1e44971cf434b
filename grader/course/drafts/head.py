"""The frontmatter and the heading of a draft."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.course.drafts.lines import Lines, numbered
from grader.course.frontmatter import FENCE

KEYS = ("title", "description", "type", "order", "mission", "prerequisites", "source", "minutes", "status")
_ENTRY = re.compile(r"([A-Za-z][\w-]*)(\s*[:\uff1a].*)")
_MORE = re.compile(r"\s+\S|- ")
_ID = r"[\w-]+"
_IDS = re.compile(rf"\s*:\s*({_ID}(?:,\s*{_ID})*)\s*")
_NUMBERED = re.compile(r"(title\s*:\s*[\"']?)(\d+)[.:]\s+(?=\S)")
_HEADING = re.compile(r"[#*_ ]*(?:Lesson\s+)?(\d+)[.:]\s+(.*?)[*_ ]*")


def split(texts: Sequence[str]) -> tuple[list[str], list[str]]:
    """The lines of the frontmatter without its fences, and the lines after it."""
    first = next((number for number, text in enumerate(texts) if text.strip()), len(texts))
    rest = list(texts[first:])
    opened = bool(rest) and rest[0].strip() == FENCE
    if opened and FENCE in rest[1:]:
        closing = rest.index(FENCE, 1)
        return rest[1:closing], rest[closing + 1 :]
    rest = rest[opened:]
    count = next((number for number, text in enumerate(rest) if not _is_entry(text)), len(rest))
    head, body = rest[:count], rest[count:]
    if not any(text.casefold().startswith("title") for text in head):
        return [], list(texts)
    return head, body[1:] if body and body[0].strip() == FENCE else body


def _is_entry(text: str) -> bool:
    return bool(_ENTRY.fullmatch(text) or _MORE.match(text))


def write_head(out: Lines, head: Sequence[str], body: Sequence[str]) -> Sequence[str]:
    """Write the frontmatter and, if the body has none, the heading; give what of the body is left."""
    written = _frontmatter(head, body)
    if not written:
        return body
    out.block(FENCE, *written, FENCE)
    first = next((number for number, text in enumerate(body) if text.strip()), len(body))
    if any(line.text.startswith("# ") and not line.code for line in numbered(body)):
        return body
    title, order = _value(written, "title"), _value(written, "order")
    if first < len(body) and _bare(body[first]) == _bare(title):
        out.block(f"# {body[first].strip('#*_ ')}")
        return body[first + 1 :]
    out.block(f"# Lesson {order}. {title}" if order else f"# {title}")
    return body


def _frontmatter(head: Sequence[str], body: Sequence[str]) -> list[str]:
    """The keys and values, with the number that the title may begin with as ``order``."""
    written = [_key(text) for text in head]
    named = _HEADING.fullmatch(next((text for text in body if text.strip()), ""))
    if not written and named is not None:
        written = [f"title: {named[2]}", f"order: {named[1]}"]
    if not written:
        return []
    for index, text in enumerate(written):
        number = _NUMBERED.match(text)
        if number is not None and not _value(written, "order"):
            written[index : index + 1] = [number[1] + text[number.end() :], f"order: {number[2]}"]
    return written if _value(written, "type") else [*written, "type: lesson"]


def _value(head: Sequence[str], key: str) -> str:
    """The value of a key as it is written, without quotes around it."""
    found = (re.fullmatch(rf"{key}\s*[:\uff1a]\s*(.*?)\s*", text) for text in head)
    return next((match[1].strip("\"'") for match in found if match), "")


def _bare(text: str) -> str:
    """What a line says as a title, without marks and number."""
    numbered = _HEADING.fullmatch(text)
    return (numbered[2] if numbered else text).strip("#*_ ").casefold()


def _key(text: str) -> str:
    """The line with its key in lower case, and what is before it as a list."""
    entry = _ENTRY.fullmatch(text)
    if entry is None or entry[1].casefold() not in KEYS:
        return text
    key, value = entry[1].casefold(), entry[2]
    if key == "prerequisites" and (ids := _IDS.fullmatch(value)):
        value = f": [{', '.join(re.findall(_ID, ids[1]))}]"
    return key + value

"""Puts the edits of findings into a text."""

from __future__ import annotations

from collections.abc import Iterable

from grader.course.page import Text
from grader.results import Finding

BOM = "\ufeff"

Span = tuple[int, int]


def fix(content: bytes, findings: Iterable[Finding]) -> tuple[bytes, int]:
    """Apply the edits of ``findings`` to a file in UTF-8, and say how many findings were mended.

    A finding's edits are applied together or, if they touch another's, not at all: it is found again in what comes
    out. Line ends and a byte-order mark stay as they are.

    >>> from grader.results import Edit
    >>> bullet = Finding("bullet", "error", "a.md", 1, 1, 1, 2, "no bullet", edits=(Edit(1, 1, 1, 2, "-"),))
    >>> fix("• one\\r\\n".encode(), [bullet, bullet])
    (b'- one\\r\\n', 1)
    """
    decoded = content.decode()
    text = Text(decoded.removeprefix(BOM), bom=decoded.startswith(BOM))
    end = "\r\n" if "\r\n" in text.content else "\n"
    taken: dict[Span, str] = {}
    mended = 0
    for finding in findings:
        edits = {
            (text.offset(edit.line, edit.column), text.offset(edit.end_line, edit.end_column)): edit.text
            for edit in finding.edits
        }
        if edits and not any(_touch(span, other) for span in edits for other in taken):
            taken |= edits
            mended += 1
    written = {span: new.replace("\r\n", "\n").replace("\n", end) for span, new in taken.items()}
    return _apply(text, written).encode(), mended


def _touch(one: Span, other: Span) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]


def _apply(text: Text, edits: dict[Span, str]) -> str:
    content = text.content
    for (start, end), new in sorted(edits.items(), reverse=True):
        content = content[:start] + new + content[end:]
    return (BOM if text.bom else "") + content

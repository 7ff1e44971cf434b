"""A learner's file as tokens, so that other names, comments and another layout make no other tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from zlib import crc32

from pygments.lexers.python import PythonLexer
from pygments.token import Comment, Name, String, Text, _TokenType

LONGEST = 2**15
_FIXED = (Name.Builtin, Name.Exception, Name.Function.Magic, Name.Variable.Magic)
_CLOSING = frozenset(")]}")
_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+[.\w]+[ \t]+import\b[ \t]*(?:\([^)]*\)|[^\n;]*)|import\b[^\n;]*)", re.MULTILINE
)
# The lexer's time would grow with the square of the number of blank lines in a row.
_BLANK = re.compile(r"\n\s{100,}")


@dataclass(frozen=True, slots=True)
class Placed:
    """A token as a number, the same in every run, and the characters that it stands for."""

    kind: int
    start: int
    end: int


def decoded(content: bytes) -> tuple[str, tuple[str, ...]]:
    """The text that is compared, and what is to know of it. Text that is not UTF-8 is taken byte by byte.

    >>> decoded(b"caf\\xe9 = 1\\r\\n")
    ('café = 1\\n', ('is not UTF-8, and was compared byte by byte',))
    """
    notes = []
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
        notes.append("is not UTF-8, and was compared byte by byte")
    if len(text) > LONGEST:
        notes.append(f"is long, and was compared up to character {LONGEST:,}")
    return text[:LONGEST].replace("\r\n", "\n"), tuple(notes)


def tokens(text: str) -> list[Placed]:
    """The tokens of a Python file, whether it can be parsed or not.

    A name that a learner may choose is one token, whatever it is; attributes and what Python defines stay as they are.
    Strings are one token; comments, docstrings, imports, layout and a comma before a closing bracket
    are none.

    >>> first = tokens("def add(a, b):\\n    return a + b  # the sum\\n")
    >>> second = tokens("def plus(left,\\n         right,):\\n    return left+right\\n")
    >>> [token.kind for token in first] == [token.kind for token in second]
    True
    """
    found: list[tuple[str, int, int]] = []
    for word, start, end in _words(text):
        if found and found[-1][0] == "," and word in _CLOSING:
            found.pop()
        if found and found[-1][0] == word == "string":
            start = found.pop()[1]
        found.append((word, start, end))
    return [Placed(crc32(word.encode("utf-8", "surrogatepass")), start, end) for word, start, end in found]


def _words(text: str) -> Iterator[tuple[str, int, int]]:
    before = ""
    blanked = _BLANK.sub(_blank, _IMPORT.sub(_blank, text))
    for start, kind, value in PythonLexer().get_tokens_unprocessed(blanked):
        word = _word(kind, value, before)
        if word:
            before = word
            yield word, start, start + len(value)


def _blank(found: re.Match[str]) -> str:
    """As many blanks; the first stays, if it ends a line."""
    return ("\n" if found[0].startswith("\n") else " ") + " " * (len(found[0]) - 1)


def _word(kind: _TokenType, value: str, before: str) -> str:
    """What a token counts as; nothing if it does not count."""
    if kind in Comment or kind in String.Doc or (kind in Text and not value.strip(" \t\r\n\f\\")):
        return ""
    if kind in String and kind not in String.Interpol:
        return "string"
    if kind in Name and before != "." and not any(kind in fixed for fixed in _FIXED):
        return "name"
    return value

"""Text that a learner wrote or printed, made safe to show and cut to size."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

HEAD, TAIL = 12, 6
LONGEST = 300
LONGEST_TEXT = 5_000

_UNSAFE = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
_SUSPECT = re.compile(r"[^\n\x20-\x7e]")  # Most text has none.
_MARKER = re.compile(r"\.\.\. [\d,]+ bytes left out \.\.\.")


def unsafe(character: str) -> bool:
    """Whether a character can move the cursor, change the direction of text, or not be written at all."""
    return unicodedata.category(character) in _UNSAFE


def escape(text: str) -> str:
    """Show characters that are unsafe as Python writes them; line ends stay, tabs become spaces.

    >>> escape("\\x1b[2J\\u202etxt\\ud83d")
    '\\\\x1b[2J\\\\u202etxt\\\\ud83d'
    """
    return _SUSPECT.sub(_escaped, text.expandtabs(4))


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    return character.encode("unicode_escape").decode("ascii") if unsafe(character) else character


def one_line(text: str) -> str:
    """Escape text that belongs into one line, line ends too, and cut it when it is long."""
    return escape(_cut_line(text.strip().replace("\n", "\\n")))


def lines(text: str) -> list[str]:
    """Escape text line by line, cut to its head and tail, which says how much is left out.

    Where whoever captured the text has cut it already, that marker stays between head and tail.

    >>> lines("\\n".join(map(str, range(100))))[11:14]
    ['11', '... 82 lines left out ...', '94']
    """
    return [escape(line) for line in _cut(text)]


def shorten(text: str) -> str:
    """Cut text that is very long as ``lines`` does, without escaping it.

    >>> shorten("x" * 10_000)[140:190]
    'xxxxxxxxxx ... 9,700 characters left out ... xxxxx'
    """
    return text if len(text) <= LONGEST_TEXT else "\n".join(_cut(text))


def _cut(text: str) -> list[str]:
    found = text.replace("\r\n", "\n").strip("\n").split("\n")
    # A learner may print such lines: one is kept, whoever wrote it.
    marker = next((index for index, line in enumerate(found) if _MARKER.fullmatch(line)), None)
    if len(found) <= HEAD + TAIL + (marker is not None):
        shown = found
    elif marker is not None:
        shown = [*_ends(found[:marker], HEAD, 0), found[marker], *_ends(found[marker + 1 :], 0, TAIL)]
    else:
        shown = _ends(found, HEAD, TAIL)
    return [_cut_line(line) for line in shown]


def _ends(found: Sequence[str], head: int, tail: int) -> list[str]:
    left_out = len(found) - head - tail
    if left_out <= 0:
        return list(found)
    noun = "line" if left_out == 1 else "lines"
    return [*found[:head], f"... {left_out:,} {noun} left out ...", *found[len(found) - tail :]]


def _cut_line(line: str) -> str:
    if len(line) <= LONGEST:
        return line
    half = LONGEST // 2
    return f"{line[:half]} ... {len(line) - 2 * half:,} characters left out ... {line[-half:]}"

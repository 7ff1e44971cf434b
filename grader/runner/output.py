"""What a learner's code printed."""

from __future__ import annotations

import re
from collections.abc import Mapping

SHOWN_CHARACTERS = 200_000
DEEPEST_INDENT = 80


class Output:
    """What the learner's code printed: the beginning and the end of it, and how much there was."""

    def __init__(self, limit: int) -> None:
        self._half = max(limit // 2, 1)
        self._head = bytearray()
        self._tail = bytearray()
        self.total = 0

    def copy(self) -> Output:
        """What was printed up to now."""
        made = Output(2 * self._half)
        made._head, made._tail, made.total = bytearray(self._head), bytearray(self._tail), self.total
        return made

    def add(self, data: bytes) -> None:
        self.total += len(data)
        room = self._half - len(self._head)
        self._head += data[:room]
        self._tail += data[room:] if room > 0 else data
        if len(self._tail) > 2 * self._half:
            del self._tail[: -self._half]

    def text(self, shown: Mapping[int, str]) -> str | None:
        """The text, with the values of printed arrays in their places; None if nothing was printed."""
        if not self.total:
            return None
        tail = bytes(self._tail[-self._half :])
        text = bytes(self._head).decode("utf-8", "replace")
        left_out = self.total - len(self._head) - len(tail)
        if left_out:
            text += f"\n... {left_out:,} bytes left out ...\n"
        return _with_values(text + tail.decode("utf-8", "replace"), shown)


def _with_values(text: str, shown: Mapping[int, str]) -> str:
    room = SHOWN_CHARACTERS

    def values(match: re.Match[str]) -> str:
        nonlocal room
        before = match.start() - text.rfind("\n", 0, match.start()) - 1
        found = shown.get(int(match[1]), "...").replace("\n", "\n" + " " * min(before, DEEPEST_INDENT))
        room -= len(found)
        return found if room >= 0 else "..."

    return re.sub("\ue000([0-9]{1,9})\ue001", values, text)

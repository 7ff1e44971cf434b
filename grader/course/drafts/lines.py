"""The lines of a draft, and what is made of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

_CODE = re.compile(r"\s*(`{3,}|~{3,})")
_BULLET = re.compile(r"(\s*)[\u2022\u25e6\u25aa\u25ab\u2023]\s*(.*)")
_BOX = re.compile(r"(\s*)(?:[-*\u2022]\s+)?([\u2610\u25a2\u25a1\u2611\u2612])\s*(.*)")
_TICKED = "\u2611\u2612"


class Line(NamedTuple):
    """A line; ``code`` if it stands in a fenced block, where nothing may change."""

    text: str
    code: bool = False

    @property
    def marked(self) -> str:
        """The line with Markdown's bullet or box for a sign that looks like one.

        >>> Line("▢ Read it.").marked, Line("  • one").marked
        ('- [ ] Read it.', '  - one')
        """
        if box := _BOX.fullmatch(self.text):
            return f"{box[1]}- [{'x' if box[2] in _TICKED else ' '}] {box[3]}"
        if bullet := _BULLET.fullmatch(self.text):
            return f"{bullet[1]}- {bullet[2]}"
        return self.text


def numbered(texts: Iterable[str]) -> Iterator[Line]:
    """Tell which lines stand in fenced blocks of code, with their fences."""
    mark = ""
    for text in texts:
        fence = _CODE.match(text)
        yield Line(text, bool(mark or fence))
        if fence and not mark:
            mark = fence[1]
        elif fence and fence[1].startswith(mark) and text.strip() == fence[1]:
            mark = ""


@dataclass(slots=True)
class Lines:
    """The lines that are made, with one blank line where a gap must be."""

    texts: list[str] = field(default_factory=list)

    def add(self, *texts: str) -> None:
        self.texts += texts

    def gap(self) -> None:
        """Begin a new block."""
        if self.texts and self.texts[-1].strip():
            self.texts.append("")

    def block(self, *texts: str) -> None:
        """A block of its own."""
        self.gap()
        self.add(*texts)
        self.gap()

    def plain(self, lines: Iterable[Line]) -> None:
        """Lines of a part that has no form of its own; a list that is new to Markdown begins a block."""
        for line in lines:
            made = line.text if line.code else line.marked
            last = self.texts[-1] if self.texts else ""
            if made != line.text and not re.match(r"\s*[-*] |\s{2}", last):
                self.gap()
            if line.code or made.strip() or last.strip():
                self.add(made)

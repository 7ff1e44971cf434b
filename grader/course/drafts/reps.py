"""The real-world reps of a draft."""

from __future__ import annotations

import re
from collections.abc import Iterable

from grader.course.drafts.lines import Line, Lines

_ITEM = re.compile(r"[-*] (?:(\[[ xX]\]) )?(.*)")
_TIMED = re.compile(r"[*_]*(\w[\w ]{0,20}?)[,:(\s]+(\d+ ?min(?:utes)?)\b[).:*_]*\s+(\S.*)")


def write_reps(out: Lines, lines: Iterable[Line]) -> None:
    """Write the lines of a section, of which each point, and each that begins with a day and a time, is a rep."""
    number = 0
    for line in lines:
        item = None if line.code else _ITEM.fullmatch(line.marked)
        text = item[2] if item else line.text
        timed = None if line.code else _TIMED.fullmatch(text)
        if (item is None and timed is None) or text.startswith("<a "):
            out.plain([line])
            continue
        number += 1
        box = (item and item[1]) or "[ ]"
        said = f"**{timed[1]}, {timed[2]}.** {timed[3]}" if timed else text
        if number == 1:
            out.gap()
        out.add(f'- {box} <a id="rep-{number}"></a>{said}')

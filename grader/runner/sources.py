"""A learner's files looked at as text. Nothing here parses them, so that no file can do anything to who looks."""

from __future__ import annotations

import re
from collections.abc import Mapping

from grader.results import Place


def definition(files: Mapping[str, bytes], function: str) -> Place | None:
    """The line that begins a function.

    >>> definition({"fits.py": b"import math\\n\\n\\ndef fits(\\n    n): ..."}, "fits")
    Place(file='fits.py', line=4, source='def fits(')
    """
    found = _find_definition(files, function)
    return None if found is None else Place(found[0], found[2] + 1, f"def {function}(")


def source_line(files: Mapping[str, bytes], place: Place) -> str | None:
    """The text of a line of the learner's files."""
    lines = files.get(place.file, b"").decode("utf-8", "replace").splitlines()
    return lines[place.line - 1].strip() if 0 < place.line <= len(lines) else None


def is_unwritten(files: Mapping[str, bytes], function: str) -> bool:
    """Whether a function still ends as its stub does.

    >>> is_unwritten({"a.py": b"def f():\\n    raise NotImplementedError\\n\\ndef g():\\n    return 1\\n"}, "g")
    False
    """
    found = _find_definition(files, function)
    if found is None:
        return False
    _, lines, start = found
    body = [line for line in lines[start + 1 :] if line.strip() and not line.lstrip().startswith("#")]
    end = next((number for number, line in enumerate(body) if not line.startswith((" ", "\t", ")"))), len(body))
    return end > 0 and body[end - 1].strip().startswith("raise NotImplementedError")


def _find_definition(files: Mapping[str, bytes], function: str) -> tuple[str, list[str], int] | None:
    begins = re.compile(rf"^(async\s+)?def\s+{re.escape(function)}\b")
    for name, content in files.items():
        lines = content.decode("utf-8", "replace").splitlines()
        for number, line in enumerate(lines):
            if begins.match(line):
                return name, lines, number
    return None

"""Text in HTML."""

from __future__ import annotations

import html
import re

from grader.report._learner_text import one_line


def inline(text: str) -> str:
    """Text of whoever, as one line."""
    return html.escape(one_line(text))


def prose(text: str) -> str:
    """Text of a suite as one line, with code between backticks.

    >>> prose("`x` < 3")
    '<code>x</code> &lt; 3'
    """
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", inline(text))

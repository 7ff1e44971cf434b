"""From a class's results to text: one module per format, each with a pure ``render``.

What is in these files is the instructor's: hidden criteria are named in them.
"""

from __future__ import annotations

from collections.abc import Sequence

from grader.report._learner_text import one_line

__all__ = ["named"]

NAMED = 10


def named(ids: Sequence[str], most: int = NAMED) -> str:
    """Ids in a sentence, not too many.

    >>> named(["ada", "bob"])
    'ada, bob'
    """
    more = len(ids) - most
    return ", ".join(map(one_line, ids[:most])) + (f" and {more:,} more" if more > 0 else "")

"""Names that are nearly right."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

SHOWN = 8


def did_you_mean(wrong: str, known: Iterable[str]) -> str:
    """The end of a message about a name that is not known.

    >>> did_you_mean("leson9", ["lesson9", "lesson10"])
    ': did you mean `lesson9`?'
    >>> did_you_mean("x", ["lesson9", "lesson10"])
    '; there are lesson9, lesson10'
    >>> did_you_mean("x", [])
    '; there are none yet'
    """
    names = list(known)
    near = difflib.get_close_matches(wrong, names, 1, 0.7)
    if near:
        return f": did you mean `{near[0]}`?"
    shown = names if len(names) <= SHOWN else [*names[:SHOWN], f"{len(names) - SHOWN} more"]
    return f"; there are {', '.join(shown) or 'none yet'}"

"""What to say of the name of a rule that does not exist."""

from __future__ import annotations

import difflib


def advice(name: str) -> str:
    """The rule that was perhaps meant, or how to see them all.

    >>> advice("ignore-unusd")
    'did you mean `ignore-unused`?'
    """
    from grader.rules import rules

    near = difflib.get_close_matches(name, rules(), 1)
    return f"did you mean `{near[0]}`?" if near else "`course rules` lists them all"

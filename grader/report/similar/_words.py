"""Words that the formats share."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from grader.likeness import Likeness, Side

NO_PROOF = (
    "Alike is no proof that anything was copied. Short functions have few right answers, and people learn from the "
    "same lessons. Read both before you ask anyone."
)


def percent(share: Fraction) -> str:
    """A share in whole percent, rounded down: 100 % is all.

    >>> percent(Fraction(999, 1000))
    '99 %'
    """
    return f"{int(100 * share)} %"


def counted(count: int, one: str) -> str:
    return f"{count:,} {one if count == 1 else one + 's'}"


def found(likeness: Likeness) -> str:
    """How much was found.

    >>> found(Likeness("lesson10", "Shards", Fraction(3, 5), 16, 40, 10, 8, (), ()))
    'no pairs that look alike among 8 submissions'
    """
    pairs = counted(len(likeness.pairs), "pair") if likeness.pairs else "no pairs"
    verb = "looks" if len(likeness.pairs) == 1 else "look"
    return f"{pairs} that {verb} alike among {counted(likeness.submissions, 'submission')}"


def side(of: Side, other: Side) -> str:
    return f"{percent(of.share)} of what is {of.id}'s own, {of.shared:,} of {of.own:,} tokens, {other.id} has, too"


def method(likeness: Likeness) -> Iterator[str]:
    """How the pairs were found, in sentences."""
    yield (
        "Compared are tokens, whatever names were chosen: no imports, comments, docstrings or layout, and no order of "
        f"functions or files. {likeness.run} tokens in a row must be the same to count, and {likeness.fewest} in all."
    )
    yield (
        "A submission's own tokens are those that are not in the stubs, the given files or the reference, and that not "
        f"more than {likeness.common:,} people have: what a quarter of a large class wrote is nobody's."
    )
    yield (
        f"A share is how much of its own tokens the other has, too. Pairs are here if one of the two shares is "
        f"{float(100 * likeness.least):g} % or more."
    )

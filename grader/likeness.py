"""Which submissions of a class look alike, as plain frozen data."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Side:
    """One submission of a pair: how many tokens are its own, and how many of those the other has, too."""

    id: str
    shared: int
    own: int

    @property
    def share(self) -> Fraction:
        return Fraction(self.shared, self.own)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two submissions that look alike, in the order of their ids."""

    left: Side
    right: Side

    @property
    def share(self) -> Fraction:
        """The larger of the two shares: it is 1 where one has all of the other and more.

        >>> Pair(Side("ada", 50, 200), Side("bob", 50, 100)).share
        Fraction(1, 2)
        """
        return max(self.left.share, self.right.share)


@dataclass(frozen=True, slots=True)
class Remark:
    """What is to know of one submission: what of it was compared in another way, or not at all."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Likeness:
    """The pairs of a class whose share is ``least`` or more, those that look most alike first.

    ``common`` is how many people must have written the same before it counts as nobody's. ``run`` tokens in a row must
    be the same, and ``fewest`` in all.
    """

    exercise: str
    title: str
    least: Fraction
    run: int
    fewest: int
    common: int
    submissions: int
    pairs: tuple[Pair, ...]
    remarks: tuple[Remark, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a file. A passage has a number on its side, and the number of its counterpart on the other side."""

    text: str
    number: int | None = None
    counterpart: int | None = None


@dataclass(frozen=True, slots=True)
class Marked:
    """A file in pieces, which are the whole of it."""

    name: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class SideBySide:
    """The files of a pair, with the passages that both have."""

    pair: Pair
    left: tuple[Marked, ...]
    right: tuple[Marked, ...]

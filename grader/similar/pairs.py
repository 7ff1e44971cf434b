"""Which of many submissions share fingerprints: through an index, since most pairs share none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from grader.similar.fingerprints import RUN, Fingerprints, Numbers


class Index:
    """From a fingerprint to those who have it."""

    def __init__(self, prints: Sequence[Fingerprints]) -> None:
        self._prints = prints
        owners = np.repeat(np.arange(len(prints)), [len(each.hashes) for each in prints])
        hashes = np.concatenate([each.hashes for each in prints])
        # Each owner of a hash once, in the order of the hashes.
        both = np.unique(np.stack([hashes, owners]), axis=1)
        self._hashes, self._starts, self._counts = np.unique(both[0], return_index=True, return_counts=True)
        self._owners = both[1]

    def had_by_more_than(self, people: int) -> Numbers:
        """The fingerprints that more than so many have."""
        return self._hashes[self._counts > people]

    def candidates(self, least: Fraction) -> Iterator[tuple[int, int]]:
        """Every pair of which one shares ``least`` of its own tokens with the other, and some that share less."""
        for place, prints in enumerate(self._prints):
            shared = self._shared_with(prints)
            shared[place] = 0
            # A fingerprint covers at most RUN tokens.
            (others,) = np.nonzero(shared * RUN >= float(least) * prints.covered)
            yield from ((place, int(other)) for other in others if shared[other])

    def _shared_with(self, prints: Fingerprints) -> Numbers:
        """How many of the fingerprints of one submission each of all has."""
        found = np.searchsorted(self._hashes, prints.hashes)
        lists = [self._owners[self._starts[each] : self._starts[each] + self._counts[each]] for each in found]
        return np.bincount(np.concatenate([*lists, []]).astype(np.int64), minlength=len(self._prints))

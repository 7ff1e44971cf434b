"""The fingerprints of a submission: hashes of runs of tokens, chosen by winnowing, and what they cover."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from copydetect.utils import get_copied_slices, hashed_kgrams, winnow
from numpy.typing import NDArray

from grader.similar.tokens import Placed, decoded, tokens

# So many tokens in a row are the least that is seen; what is RUN + WINDOW - 1 long is always seen.
RUN, WINDOW = 16, 4

Numbers: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Document:
    """The files of a submission as text and as tokens, by name, and what is to know of them."""

    texts: Mapping[str, str]
    tokens: Mapping[str, list[Placed]]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """Hashes of runs of tokens, and where each run begins, counted through all files of the submission."""

    hashes: Numbers
    places: Numbers

    @property
    def covered(self) -> int:
        """How many tokens are in one of the runs."""
        return covered(self.places)

    def without(self, hashes: Numbers) -> Fingerprints:
        return self._where(~np.isin(self.hashes, hashes))

    def within(self, hashes: Numbers) -> Fingerprints:
        return self._where(np.isin(self.hashes, hashes))

    def _where(self, chosen: NDArray[np.bool_]) -> Fingerprints:
        return Fingerprints(self.hashes[chosen], self.places[chosen])


def read(files: Mapping[str, bytes]) -> Document:
    """The document that ``files`` are."""
    texts, notes = {}, []
    for name, content in files.items():
        texts[name], remarks = decoded(content)
        notes += [f"{name} {remark}" for remark in remarks]
    return Document(texts, {name: tokens(text) for name, text in texts.items()}, tuple(notes))


def fingerprints(document: Document) -> Fingerprints:
    """Fingerprints of each file by itself: no run goes from one into the next."""
    hashes, places, offset = [_NONE], [_NONE], 0
    for found in document.tokens.values():
        chosen, where = winnow(_runs(found), WINDOW, remove_duplicates=False)
        hashes.append(chosen)
        places.append(where + offset)
        offset += len(found)
    return Fingerprints(np.concatenate(hashes), np.concatenate(places))


def every_run(documents: Iterable[Document]) -> Numbers:
    """The hashes of all runs of tokens in ``documents``."""
    return np.unique(
        np.concatenate([_NONE, *(_runs(found) for document in documents for found in document.tokens.values())])
    )


def spans(places: Numbers) -> list[tuple[int, int]]:
    """The first token, and the one after the last, of each stretch that runs beginning at ``places`` cover.

    >>> spans(np.array([3, 10, 40]))
    [(3, 26), (40, 56)]
    """
    return [(int(first), int(end)) for first, end in get_copied_slices(places, RUN).T]


def covered(places: Numbers) -> int:
    """How many tokens are in the runs that begin at ``places``."""
    first, end = get_copied_slices(places, RUN)
    return int((end - first).sum())


_NONE = np.array([], np.int64)


def _runs(found: list[Placed]) -> Numbers:
    """The hash of each run; hashes of tuples of integers, unlike those of text, are the same in every process."""
    hashes: Numbers = hashed_kgrams(tuple(token.kind for token in found), RUN).astype(np.int64)
    return hashes

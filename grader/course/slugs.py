"""Anchors of headings, as each dialect of Markdown makes them of a heading's text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

Dialect = str

# What GitHub keeps beside letters, marks and decimal digits: letter-like numbers and connectors such as "_".
_GITHUB_KEEPS = {"Nd", "Nl", "Pc"}
_MYST_DROPS = re.compile(r"[^\w\u4e00-\u9fff\- ]")
_MKDOCS_DROPS = re.compile(r"[^\w\s-]")
_MKDOCS_COUNTED = re.compile(r"(.*)_([0-9]+)")


def github(text: str) -> str:
    """The slug of GitHub, before it is made unique.

    >>> github("Half ½ cup & `a_b`!")
    'half--cup--a_b'
    """
    return "".join(filter(None, map(_github_character, text.lower())))


def _github_character(character: str) -> str:
    if character.isascii():
        return character if character.isalnum() or character in "-_" else "-" if character == " " else ""
    category = unicodedata.category(character)
    return character if category[0] in "LM" or category in _GITHUB_KEEPS else ""


def _kramdown(text: str) -> str:
    return github(text.replace("\t", " "))


def _pandoc(text: str) -> str:
    kept = "".join(
        character for character in text if character.isalnum() or character in "_-. \n\t" or _mark(character)
    )
    words = "-".join(kept.lower().split())
    first = next((index for index, character in enumerate(words) if character.isalpha()), len(words))
    return words[first:] or "section"


def _mark(character: str) -> bool:
    return not character.isascii() and unicodedata.category(character)[0] == "M"


def _mkdocs(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")
    return re.sub(r"[-\s]+", "-", _MKDOCS_DROPS.sub("", plain).strip().lower())


def _myst(text: str) -> str:
    return _MYST_DROPS.sub("", text.lower().replace(" ", "-"))


_SLUGS: dict[Dialect, Callable[[str], str]] = {
    "github": github,
    "kramdown": _kramdown,
    "pandoc": _pandoc,
    "mkdocs": _mkdocs,
    "myst": _myst,
}
DIALECTS = tuple(_SLUGS)


class Slugs:
    """The anchors of one page, each once.

    >>> slugs = Slugs("github")
    >>> [slugs.add(text) for text in ("Dup", "Dup", "Dup-1")]
    ['dup', 'dup-1', 'dup-1-1']
    """

    def __init__(self, dialect: Dialect) -> None:
        self._slug = _SLUGS[dialect]
        self._next = self._underscored if dialect == "mkdocs" else self._hyphened
        self._counts: dict[str, int] = {}

    def add(self, text: str) -> str:
        """The anchor of the next heading, by its text."""
        anchor = self._next(self._slug(text))
        self._counts.setdefault(anchor, 0)
        return anchor

    def take(self, anchor: str) -> None:
        """Keep an anchor that a heading states itself from being given to another."""
        self._counts.setdefault(anchor, 0)

    def _hyphened(self, slug: str) -> str:
        anchor = slug
        while anchor in self._counts:
            self._counts[slug] += 1
            anchor = f"{slug}-{self._counts[slug]}"
        return anchor

    def _underscored(self, slug: str) -> str:
        anchor = slug
        while anchor in self._counts or not anchor:
            counted = _MKDOCS_COUNTED.fullmatch(anchor)
            anchor = f"{counted[1]}_{int(counted[2]) + 1}" if counted else f"{anchor}_1"
        return anchor

"""The names of terms, and where a text uses them.

A reader takes a plural for the same term, and a capital at the beginning of a sentence. Hyphens and blanks in a name
are the same. A name with a capital, such as FSDP or MySQL, is used only where it is written so.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from grader.course.lesson import Term
from grader.course.page import Page, Span

_CODE = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)|</?[A-Za-z][^<>]*>", re.DOTALL)
_NO_LINE_END = re.compile(r"[^\n]")
_GAP = re.compile(r"[-\s]+")


def key(name: str) -> str:
    """What is the same for two names that a reader takes for one.

    >>> key("All-Gather") == key("all gather")
    True
    """
    return _GAP.sub(" ", name.strip()).casefold()


def names_of(terms: Iterable[Term]) -> dict[str, frozenset[str]]:
    """The ids of the terms that go by each name."""
    found = defaultdict(set)
    for term in terms:
        for name in (term.title, *term.aliases):
            if _GAP.sub("", name):
                found[name].add(term.id)
    return {name: frozenset(ids) for name, ids in found.items()}


def uses(text: str, names: Mapping[str, frozenset[str]]) -> Iterator[tuple[int, int, frozenset[str]]]:
    """Where ``text`` uses a name, and of which terms: in order, of names inside each other the longest.

    >>> [text for text in ["Shards", "a shard's", "sharded", "shard-like"] if any(uses(text, {"shard": frozenset()}))]
    ['Shards', "a shard's"]
    >>> any(uses("in mysql", {"IN": frozenset(), "MySQL": frozenset()}))
    False
    """
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(character if len(character.lower()) > 1 else character.lower() for character in text)
    found = [(*place, ids) for name, ids in names.items() for place in _places(text, lowered, name)]
    done = 0
    for start, end, ids in sorted(found, key=lambda each: (each[0], -each[1])):
        if start >= done:
            yield start, end, ids
            done = end


def _places(text: str, lowered: str, name: str) -> Iterator[tuple[int, int]]:
    """Where a name stands. Trying its expression everywhere would take ten times as long."""
    stem, forms = _forms(name)
    start = lowered.find(stem)
    while start >= 0:
        match = forms.match(text, start)
        if match is not None:
            yield match.span()
        start = lowered.find(stem, start + 1)


@lru_cache(4096)
def _forms(name: str) -> tuple[str, re.Pattern[str]]:
    """What every form of a name begins with, in lower case, and an expression for all forms.

    They are the name and its plural, with blanks or hyphens, and perhaps a capital at the beginning.
    """
    *before, last = filter(None, _GAP.split(name))
    if re.search(r"[^aeiou]y$", last):
        last, ending = last[:-1], "(?:y|ies)"
    else:
        ending = "(?:es)?" if re.search(r"(?:s|x|z|ch|sh)$", last) else "s?"
    words = [*before, last]
    written = r"[-\s]+".join(map(re.escape, words)) + ending
    first = words[0][0]
    if first.islower():
        written = f"[{first}{first.upper()}]{written[1:]}"
    return words[0].lower(), re.compile(rf"(?<![\w-]){written}(?![\w-])")


def prose(page: Page, first: int, last: int) -> str:
    """The text of some lines, each character in its place, blank where it is code, heading, link, HTML or a comment."""
    text, start = page.text, page.text.offset(first)
    content = text.content[start : text.offset(last) + len(text.line(last))]
    for span in _no_prose(page):
        if first <= span.line <= last:
            begin = text.offset(span.line, span.column) - start
            end = text.offset(span.end_line, span.end_column) - start
            content = content[:begin] + _blank(content[begin:end]) + content[end:]
    return _CODE.sub(lambda match: _blank(match[0]), content) if "`" in content or "<" in content else content


def _no_prose(page: Page) -> Iterator[Span]:
    for part in (page.headings, page.links, page.definitions, page.comments):
        yield from (each.span for each in part)
    for token in page.tokens:
        if token.type in ("fence", "code_block", "html_block") and token.map:
            yield Span(token.map[0] + 1, 1, token.map[1], len(page.text.line(token.map[1])) + 1)


def _blank(text: str) -> str:
    return _NO_LINE_END.sub("\0", text) if "\n" in text else "\0" * len(text)

"""The external addresses that pages link to, and where they do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urldefrag, urlsplit

from grader.course.page import Page, Span

# RFC 2606 and 6761 keep these for examples: nobody answers there.
_RESERVED = re.compile(r"(.+\.)?(example|test|invalid|localhost)|(.+\.)?example\.(com|net|org)")


@dataclass(frozen=True, slots=True)
class Mention:
    """A place where a page links to an address."""

    path: str
    span: Span


def mentions(pages: Iterable[Page], ignored: Iterable[str] = ()) -> Mapping[str, tuple[Mention, ...]]:
    """Every ``http`` and ``https`` address without its fragment, in order of first mention, with all its places.

    Left out are hosts that are reserved for examples, and addresses in which one of the regular expressions of
    ``ignored`` is found.
    """
    patterns = [re.compile(pattern) for pattern in ignored]
    found: dict[str, list[Mention]] = {}
    for page in pages:
        for link in page.links:
            url = urldefrag(link.target).url
            if _is_external(url) and not any(pattern.search(url) for pattern in patterns):
                found.setdefault(url, []).append(Mention(page.path, link.span))
    return {url: tuple(places) for url, places in found.items()}


def _is_external(url: str) -> bool:
    if not re.match(r"https?://", url, re.IGNORECASE):
        return False
    try:
        host = urlsplit(url).hostname
    except ValueError:
        return True  # A malformed address is worth saying.
    return host is None or not _RESERVED.fullmatch(host)

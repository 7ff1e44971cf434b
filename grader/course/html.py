"""What a piece of HTML in a page holds: addresses, ids and comments, with their offsets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from typing import Literal

_MARKUP = re.compile(
    r"<!--(?P<comment>.*?)(?:-->|\Z)"
    r"|<(?P<tag>[A-Za-z][\w:-]*)(?P<attributes>(?:[\s/]+[^\s\"'<>/=]+(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'=<>`]+))?)*)[\s/]*>",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"([^\s\"'<>/=]+)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'=<>`]+)))?")
_CANDIDATE = re.compile(r"\s*([^\s,]\S*[^\s,]|[^\s,])(?:\s[^,]*)?(?:,|\Z)")
# Elements whose inside is text to a browser, not markup.
_RAW = {"script", "style", "textarea", "title"}
_IMAGES = {"img", "source", "picture", "input"}


@dataclass(frozen=True, slots=True)
class Part:
    """One address, id or comment; ``tag_start`` and ``tag_end`` bound the tag that has it.

    ``text`` is the alternative text of an image, None if it has none.
    """

    kind: Literal["comment", "id", "link", "image"]
    value: str
    start: int
    end: int
    tag_start: int
    tag_end: int
    text: str | None = None


def read_html(content: str) -> Iterator[Part]:
    """Give the parts of a piece of HTML in their order.

    >>> [(part.kind, part.value) for part in read_html('<a id="x" href="b.md">b</a><!-- c -->')]
    [('id', 'x'), ('link', 'b.md'), ('comment', 'c')]
    """
    place = 0
    while (found := _MARKUP.search(content, place)) is not None:
        place = found.end()
        comment = found["comment"]
        if comment is not None:
            yield Part("comment", comment.strip(), *found.span(), *found.span())
            continue
        yield from _tag(found)
        tag = found["tag"].lower()
        if tag in _RAW:
            closing = re.compile(rf"</{tag}", re.IGNORECASE).search(content, place)
            place = len(content) if closing is None else closing.end()


def _tag(tag: re.Match[str]) -> Iterator[Part]:
    name = tag["tag"].lower()
    attributes: dict[str, tuple[str, int, int]] = {}
    for found in _ATTRIBUTE.finditer(tag.string, *tag.span("attributes")):
        group = next((group for group in (2, 3, 4) if found[group] is not None), 0)
        value = unescape(found[group]) if group else ""
        attributes.setdefault(found[1].lower(), (value, *found.span(group)))
    alt = attributes["alt"][0] if "alt" in attributes else None
    for key, (value, start, end) in attributes.items():
        if key == "id" or (key == "name" and name == "a" and value != attributes.get("id", ("",))[0]):
            yield Part("id", value, start, end, *tag.span())
        elif key == "href" and name != "base":
            yield Part("link", value, start, end, *tag.span(), "")
        elif key in ("src", "poster"):
            kind: Literal["image", "link"] = "image" if name in _IMAGES else "link"
            yield Part(kind, value, start, end, *tag.span(), alt if kind == "image" else "")
        elif key == "srcset":
            for candidate in _CANDIDATE.finditer(tag.string, start, end):
                yield Part("link", unescape(candidate[1]), *candidate.span(1), *tag.span(), "")

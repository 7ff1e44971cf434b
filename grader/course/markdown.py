"""Reading a Markdown page: markdown-it finds the parts, this module says where each stands in the file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.course._parser import parser_of
from grader.course._places import Cell, Lines, Row
from grader.course.frontmatter import read_frontmatter
from grader.course.html import read_html
from grader.course.page import (
    Anchor,
    Comment,
    Definition,
    Fence,
    Heading,
    Link,
    Page,
    Spaced,
    Span,
    Text,
    Undefined,
)
from grader.course.slugs import Slugs

if TYPE_CHECKING:
    from markdown_it.token import Token

_DEFINITION = re.compile(r"\[((?:\\.|[^\[\]\\])+)\]:[\s>]*(?:<((?:\\.|[^<>\\\n])*)>|(\S+))")
_MYST_TARGET = re.compile(r"^\(([^()\n]+)\)=$", re.MULTILINE)
_HTML_HEADING = re.compile(r"<h([1-6])\b[^>]*>(.*?)</h\1\s*>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<!--.*?-->|</?[a-zA-Z][^>]*>", re.DOTALL)
_SHOWN = {"text", "code_inline", "math_inline", "softbreak"}


def read_page(path: str, content: bytes, dialect: str = "github") -> Page:
    """Read a page; CourseError if it is no text.

    >>> page = read_page("a.md", b"# Shards\\n\\nSee [b](b.md#c).\\n")
    >>> page.headings[0].anchor, page.links[0].target, page.links[0].target_span
    ('shards', 'b.md#c', Span(line=3, column=9, end_line=3, end_column=15))
    """
    file = Path(path)
    text = Text.decode(content, file)
    frontmatter, hidden = read_frontmatter(text, file)
    # Blank lines in place of the frontmatter let the tokens count the lines of the file.
    body = "\n" * hidden + text.content[text.offset(hidden + 1) :] if hidden < len(text.starts) else ""
    env: dict[str, Any] = {}
    tokens = parser_of(dialect).parse(body + "\n", env)
    found = _Reader(text, dialect, env)
    found.read(tokens)
    return Page(
        path=path,
        text=text,
        frontmatter=frontmatter,
        tokens=tokens,
        headings=tuple(found.headings),
        anchors=tuple(found.anchors),
        links=tuple(found.links),
        definitions=found.definitions(),
        undefined=tuple(found.undefined),
        spaced=tuple(found.spaced),
        fences=tuple(found.fences),
        comments=tuple(found.comments),
    )


@dataclass(slots=True)
class _Reader:
    """Collects the parts of a page from its tokens."""

    text: Text
    dialect: str
    env: dict[str, Any]
    headings: list[Heading] = field(default_factory=list)
    anchors: list[Anchor] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    undefined: list[Undefined] = field(default_factory=list)
    spaced: list[Spaced] = field(default_factory=list)
    fences: list[Fence] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    slugs: Slugs = field(init=False)
    known: dict[str, Definition] = field(default_factory=dict)
    again: list[Definition] = field(default_factory=list)
    targets: dict[str, Span] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.slugs = Slugs(self.dialect)

    def read(self, tokens: Sequence[Token]) -> None:
        self._define()
        row: Row | None = None
        for index, token in enumerate(tokens):
            match token.type:
                case "inline":
                    before = tokens[index - 1]
                    in_row = row is not None and before.type in ("th_open", "td_open")
                    self._inline(token, row.next_cell() if row and in_row else Lines(self.text, token, before))
                    if before.type == "heading_open":
                        self._heading(before, token)
                case "tr_open":
                    row = Row(self.text, token)
                case "fence":
                    self._fence(token)
                case "html_block":
                    places = Lines(self.text, token)
                    self._html(token.content, places, 0)
                    if self.dialect == "github":
                        self._html_headings(token.content, places)

    def definitions(self) -> tuple[Definition, ...]:
        found = [
            Definition(each.label, each.target, each.span, label in self.used) for label, each in self.known.items()
        ]
        return tuple(sorted([*found, *self.again], key=lambda each: each.span))

    def _define(self) -> None:
        for label, reference in self.env.get("references", {}).items():
            self.known[label], self.targets[label] = self._definition(reference)
        for reference in self.env.get("duplicate_refs", []):
            self.again.append(self._definition(reference)[0])

    def _definition(self, reference: dict[str, Any]) -> tuple[Definition, Span]:
        first, last = reference["map"]
        start = self.text.starts[first]
        end = self.text.starts[last] if last < len(self.text.starts) else len(self.text.content)
        found = _DEFINITION.search(self.text.content, start, end)
        if found is None:
            raise AssertionError(f"no definition in lines {first + 1} to {last}")
        target = found.span(2) if found[2] is not None else found.span(3)
        return (
            Definition(found[1], reference["href"], self.text.span(found.start(), target[1]), used=False),
            self.text.span(*target),
        )

    def _inline(self, block: Token, places: Lines | Cell) -> None:
        children = block.children or []
        if self.dialect == "myst":
            for target in _MYST_TARGET.finditer(block.content):
                self.anchors.append(Anchor(target[1], places.span(*target.span())))
        for index, token in enumerate(children):
            place = token.meta.get("place")
            if place is None:
                continue
            match token.type:
                case "link_open":
                    self._link(token, str(token.attrs["href"]), _link_text(children, index), places)
                case "image":
                    alt = _alt_attribute(children, index)
                    self._link(token, str(token.attrs["src"]), (token.content or None) if alt is None else alt, places)
                case "html_inline":
                    self._html(token.content, places, place[0])
                case "attributes" if token.meta["id"]:
                    self.anchors.append(Anchor(token.meta["id"], places.span(*place[:2])))
        for kind, start, end, label in block.meta.get("notes", ()):
            span = places.span(start, end)
            if kind == "spaced":
                self.spaced.append(Spaced(label, span))
            else:
                self.undefined.append(Undefined(label, span, kind == "footnote"))

    def _link(self, token: Token, target: str, text: str | None, places: Lines | Cell) -> None:
        from markdown_it.common.utils import normalizeReference

        start, end, (target_start, target_end, label) = token.meta["place"]
        span = places.span(start, end)
        image = token.type == "image"
        if label is not None:
            key = normalizeReference(label)
            self.used.add(key)
            self.links.append(Link("reference", target, text, span, self.targets[key], image))
        else:
            kind: Any = "autolink" if token.info == "auto" else "inline"
            self.links.append(Link(kind, target, text, span, places.span(target_start, target_end), image))

    def _heading(self, opening: Token, block: Token) -> None:
        children = block.children or []
        text = plain(children)
        own = next((token.meta["id"] for token in children[-1:] if token.type == "attributes"), None)
        if own:
            self.slugs.take(own)
            self.anchors.pop()
        first, last = opening.map or (0, 1)
        line = self.text.line(first + 1)
        mark = opening.markup if opening.markup.startswith("#") else block.content[:1]
        start = self.text.offset(first + 1, line.index(mark) + 1)
        end = self.text.offset(last, len(self.text.line(last)) + 1)
        anchor = own or self.slugs.add(text.strip() if own is None and self.dialect != "github" else text)
        shown = " ".join(text.split())
        self.headings.append(Heading(int(opening.tag[1]), shown, anchor, self.text.span(start, end)))

    def _html_headings(self, content: str, places: Lines) -> None:
        """GitHub gives anchors to headings in HTML, too."""
        for heading in _HTML_HEADING.finditer(content):
            text = " ".join(unescape(_TAG.sub("", heading[2])).split())
            self.headings.append(Heading(int(heading[1]), text, self.slugs.add(text), places.span(*heading.span())))

    def _fence(self, token: Token) -> None:
        first, last = token.map or (0, 1)
        lines = token.content.count("\n") + (token.content[-1:] not in ("", "\n"))
        number = first + 1
        line = self.text.line(number)
        column = line.index(token.markup) + 1
        span = Span(number, column, number, len(line) + 1)
        language = token.info.split()[0] if token.info.strip() else ""
        self.fences.append(Fence(token.markup, language, span, token.content, lines == last - first - 2))

    def _html(self, content: str, places: Lines | Cell, start: int) -> None:
        for part in read_html(content):
            span = places.span(start + part.start, start + part.end)
            match part.kind:
                case "comment":
                    self.comments.append(Comment(part.value, span))
                case "id":
                    self.anchors.append(Anchor(part.value, span))
                case "link" | "image":
                    tag = places.span(start + part.tag_start, start + part.tag_end)
                    self.links.append(Link("html", part.value, part.text, tag, span, part.kind == "image"))


def plain(tokens: Sequence[Token]) -> str:
    """The text that inline tokens show, without markup, images and HTML tags; a line end is a line end."""
    return "".join("\n" if token.type == "softbreak" else token.content for token in tokens if token.type in _SHOWN)


def _link_text(children: Sequence[Token], index: int) -> str:
    """What the link says that ``children[index]`` opens; of an image in it, what that says."""
    inner: list[str] = []
    for token in children[index + 1 :]:
        if token.type == "link_close":
            break
        inner.append(token.content if token.type == "image" else plain([token]))
    return "".join(inner)


def _alt_attribute(children: Sequence[Token], index: int) -> str | None:
    following = children[index + 1] if index + 1 < len(children) else None
    alt: str | None = following.meta["alt"] if following is not None and following.type == "attributes" else None
    return alt

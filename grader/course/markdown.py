"""Reading a Markdown page: markdown-it finds the parts, this module says where each stands in the file."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

    BlockRule = Callable[[StateBlock, int, int, bool], bool]
    InlineRule = Callable[[StateInline, bool], bool]

_DEFINITION = re.compile(r"\[((?:\\.|[^\[\]\\])+)\]:[\s>]*(?:<((?:\\.|[^<>\\\n])*)>|(\S+))")
_FOOTNOTE = re.compile(r"\[\^([^\]\s]+)\]")
_SPACED = re.compile(r"\(\s*([^()<>\n\"'{}]*[^()<>\s\"'{}] [^()<>\n\"'{}]*)\)")
_PATH = re.compile(r"\S.*(\.\w{1,5}(#\S*)?|/\S*)|#.*")
# Possessive, so that a long text that is no list of attributes is given up at once.
_ATTRIBUTES = re.compile(r"\{:?\s*((?:(?>[#.][\w:.-]+|[\w:-]++=(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s}\"']+)|=\w+|-)\s*)++)\}")
_ATTRIBUTE_ID = re.compile(r"(?:^|\s)(?:#([\w:.-]+)|id=[\"']?([^\s\"']+))")
_ATTRIBUTE_ALT = re.compile(r"(?:^|\s)alt=(?:\"([^\"]*)\"|'([^']*)'|(\S+))")
_MYST_TARGET = re.compile(r"^\(([^()\n]+)\)=$", re.MULTILINE)
_PIPE = re.compile(r"(?<!\\)\|")
_HTML_HEADING = re.compile(r"<h([1-6])\b[^>]*>(.*?)</h\1\s*>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<!--.*?-->|</?[a-zA-Z][^>]*>", re.DOTALL)
# Which characters a block can begin with, and which blocks it ends, as in markdown-it.
_ALL = ["paragraph", "reference", "blockquote", "list"]
_BLOCKS = {
    "fence": ("`~", _ALL),
    "blockquote": (">", _ALL),
    "hr": ("*-_", _ALL),
    "list": ("*+-0123456789", _ALL[:3]),
    "html_block": ("<", _ALL[:3]),
    "heading": ("#", _ALL[:3]),
}
_FUNCTIONS = {"list": "list_block"}
_BARE = re.compile(r"[^\s<()\\]+")
_MARKUP = re.compile(r"[\\`~*_\[<&${]|[ \t]\n|\n[ \t]")
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
    tokens = _parser(dialect).parse(body + "\n", env)
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


@cache
def _parser(dialect: str) -> MarkdownIt:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.footnote import footnote_plugin

    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    footnote_plugin(parser, inline=False, move_to_end=False)
    if dialect not in ("kramdown", "mkdocs"):
        from mdit_py_plugins.dollarmath import dollarmath_plugin

        dollarmath_plugin(parser, allow_space=False, allow_digits=False)
    from markdown_it import rules_block
    from markdown_it.rules_inline import autolink, html_inline, image, link

    rules = parser.inline.ruler
    rules.at("link", _placed(link, "[", "link_open", _link_place))
    rules.at("image", _placed(image, "!", "image", _link_place))
    rules.at("autolink", _placed(autolink, "<", "link_open", lambda state, start: (start + 1, state.pos - 1, None)))
    rules.at("html_inline", _placed(html_inline, "<", "html_inline", lambda state, start: None))
    if dialect != "github":
        rules.push("attributes", _attributes)
    parser.block.ruler.at("table", _measured(rules_block.table), {"alt": ["paragraph", "reference"]})
    for name, (marks, interrupts) in _BLOCKS.items():
        parser.block.ruler.at(
            name, _only_at(marks, getattr(rules_block, _FUNCTIONS.get(name, name))), {"alt": interrupts}
        )
    parser.core.ruler.at("inline", _inline)
    # Addresses stay as they are written, so that messages can quote them and their places are exact.
    parser.normalizeLink = lambda url: url  # type: ignore[method-assign]
    return parser


def _inline(state: StateCore) -> None:
    """Parse what is inside blocks, noting which block it is, so that rules can leave notes with it."""
    for token in state.tokens:
        if token.type != "inline":
            continue
        if _MARKUP.search(token.content) is None:
            token.children = _simple(token.content)
        else:
            token.children = []
            state.env["block"] = token
            state.md.inline.parse(token.content, state.md, state.env, token.children)


def _simple(content: str) -> list[Token]:
    """What the rules make of text without markup, of which most blocks consist, in a tenth of the time."""
    from markdown_it.token import Token

    tokens: list[Token] = []
    for line in content.split("\n") if content else ():
        if tokens:
            tokens.append(Token("softbreak", "br", 0))
        tokens.append(Token("text", "", 0, content=line))
    return tokens


def _placed(rule: InlineRule, first: str, kind: str, place: Callable[[StateInline, int], Any]) -> InlineRule:
    """The rule, with ``meta["place"]`` (start, end, and what ``place`` finds) on the token that it makes."""

    def placed(state: StateInline, silent: bool) -> bool:
        start, count = state.pos, len(state.tokens)
        if state.src[start] != first:
            return False
        if not rule(state, silent):
            if first == "[" and not silent:
                _note_failure(state, start)
            return False
        if not silent:
            token = next(token for token in state.tokens[count:] if token.type == kind)
            token.meta["place"] = (start, state.pos, place(state, start))
        return True

    return placed


def _only_at(marks: str, rule: BlockRule) -> BlockRule:
    """The rule, tried only on lines that begin with one of ``marks``: on others it would find so itself, slowly."""

    def only_at(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        place = state.bMarks[start] + state.tShift[start]
        return state.src[place : place + 1] in marks and rule(state, start, end, silent)

    return only_at


def _measured(table: BlockRule) -> BlockRule:
    """The rule for tables, with ``meta["column"]`` on each row: where it begins in its line, inside quotes or lists."""

    def measured(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        count = len(state.tokens)
        if not table(state, start, end, silent):
            return False
        for token in state.tokens[count:]:
            if token.type == "tr_open" and token.map:
                place = state.bMarks[token.map[0]] + state.tShift[token.map[0]]
                token.meta["column"] = place - (state.src.rfind("\n", 0, place) + 1)
        return True

    return measured


def _link_place(state: StateInline, start: int) -> tuple[int, int, str | None]:
    """Where the address of a link is written, or the label of its definition."""
    helpers, source = state.md.helpers, state.src
    opening = start + (source[start] == "!")
    label_end = helpers.parseLinkLabel(state, opening, source[start] == "[")
    after = label_end + 1
    if source[state.pos - 1] == "]":
        label = source[source.index("[", after) + 1 : state.pos - 1] if after < state.pos else ""
        return opening, state.pos, label or source[opening + 1 : label_end]
    begin = after + 1
    while source[begin] in " \t\n":
        begin += 1
    if _BARE.fullmatch(source, begin, state.pos - 1):
        return begin, state.pos - 1, None
    found = helpers.parseLinkDestination(source, begin, state.posMax)
    bracketed = source[begin] == "<"
    return begin + bracketed, found.pos - bracketed, None


def _note_failure(state: StateInline, start: int) -> None:
    """Note a bracket that looks like a link and is none: an undefined label, a blank in the address."""
    block: Token = state.env["block"]
    if state.tokens is not block.children:
        return
    source = state.src
    notes = block.meta.setdefault("notes", [])
    footnote = _FOOTNOTE.match(source, start)
    if footnote is not None:
        if f":{footnote[1]}" in state.env.get("footnotes", {}).get("refs", ()):
            return
        notes.append(("footnote", start, footnote.end(), footnote[1]))
        return
    end = state.md.helpers.parseLinkLabel(state, start, True)
    following = source[end + 1 : end + 2] if end >= 0 else ""
    if following == "(":
        spaced = _SPACED.match(source, end + 1)
        if spaced is not None and _PATH.fullmatch(spaced[1].strip()):
            notes.append(("spaced", start, spaced.end(), spaced[1].strip()))
    elif following == "[" and not (start and (source[start - 1].isalnum() or source[start - 1] in "])")):
        last = state.md.helpers.parseLinkLabel(state, end + 1)
        label = source[end + 2 : last] or source[start + 1 : end]
        if last >= 0 and label.strip():
            notes.append(("label", start, last + 1, label))


def _attributes(state: StateInline, silent: bool) -> bool:
    """``{#id .class key=value}``, which dialects other than GitHub's take for attributes."""
    if state.src[state.pos] != "{":
        return False
    found = _ATTRIBUTES.match(state.src, state.pos)
    if found is None:
        return False
    if not silent:
        token = state.push("attributes", "", 0)
        token.hidden = True
        token.meta["place"] = (found.start(), found.end(), None)
        id, alt = _ATTRIBUTE_ID.search(found[1]), _ATTRIBUTE_ALT.search(found[1])
        token.meta["id"] = id and (id[1] or id[2])
        token.meta["alt"] = alt and next(filter(None, alt.groups()), "")
    state.pos = found.end()
    return True


class _Lines:
    """Where the content of a block stands in the file, line by line.

    markdown-it takes containers and indentation off the beginning of each line and blanks off the end, so each line
    of content is measured from its end.
    """

    def __init__(self, text: Text, block: Token, before: Token | None = None) -> None:
        self.text = text
        self.block = block
        self.closable = before is not None and before.type == "heading_open" and before.markup.startswith("#")
        self.shifts: dict[int, int] = {}

    def span(self, start: int, end: int) -> Span:
        return self.text.span(self._offset(start), self._offset(end))

    def _offset(self, place: int) -> int:
        line = self.block.content.count("\n", 0, place)
        if line not in self.shifts:
            self.shifts[line] = self._shift(place, line)
        return place + self.shifts[line]

    def _shift(self, place: int, line: int) -> int:
        """How much further on in the file a line of the content is."""
        content = self.block.content
        begin = content.rfind("\n", 0, place) + 1
        written = content[begin:].partition("\n")[0].rstrip()
        number = self._first + line
        if number > len(self.text.starts):
            return len(self.text.content) - len(content)
        return self.text.starts[number - 1] + len(self._source(number)) - len(written) - begin

    def _source(self, number: int) -> str:
        """A line of the file, up to where its content can end."""
        source = self.text.line(number).rstrip()
        return _without_closing(source) if self.closable else source

    @property
    def _first(self) -> int:
        """The line of the file in which the content begins: in the first of the block that is not blank to Python."""
        number = (self.block.map or (0, 0))[0] + 1
        written = self.block.content.partition("\n")[0].rstrip()
        while number < len(self.text.starts) and not self._source(number).endswith(written):
            number += 1
        return number


def _without_closing(heading: str) -> str:
    """A line with a heading, without the ``##`` that may close it."""
    opened = heading.rstrip("#")
    return opened.rstrip() if opened != heading and opened[-1:] in (" ", "\t") else heading


class _Row:
    """Where the cells of a row of a table stand in the file."""

    def __init__(self, text: Text, row: Token) -> None:
        number, column = (row.map or (0, 0))[0] + 1, row.meta["column"]
        self.text = text
        self.start = text.offset(number, column + 1)
        self.line = text.line(number)[column:].rstrip()
        self.taken = 0

    def next_cell(self) -> _Cell:
        self.taken += 1
        return _Cell(self, self.taken - 1)

    def cell(self, index: int) -> tuple[int, str]:
        pipes = [pipe.start() for pipe in _PIPE.finditer(self.line)]
        bounds = list(pairwise([-1, *pipes, len(self.line)]))
        if pipes and pipes[0] == 0:
            bounds.pop(0)
        before, end = bounds[index]
        cell = self.line[before + 1 : end]
        return self.start + before + 1 + len(cell) - len(cell.lstrip()), cell.strip()


class _Cell:
    """Where the content of a cell, in which ``\\|`` is a pipe, stands in the file."""

    def __init__(self, row: _Row, index: int) -> None:
        self.row = row
        self.index = index

    def span(self, start: int, end: int) -> Span:
        offset, cell = self.row.cell(self.index)
        places = [place for place in range(len(cell)) if cell[place : place + 2] != "\\|"] + [len(cell)]
        return self.row.text.span(offset + places[start], offset + places[end])


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
        row: _Row | None = None
        for index, token in enumerate(tokens):
            match token.type:
                case "inline":
                    before = tokens[index - 1]
                    in_row = row is not None and before.type in ("th_open", "td_open")
                    self._inline(token, row.next_cell() if row and in_row else _Lines(self.text, token, before))
                    if before.type == "heading_open":
                        self._heading(before, token)
                case "tr_open":
                    row = _Row(self.text, token)
                case "fence":
                    self._fence(token)
                case "html_block":
                    places = _Lines(self.text, token)
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

    def _inline(self, block: Token, places: _Lines | _Cell) -> None:
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

    def _link(self, token: Token, target: str, text: str | None, places: _Lines | _Cell) -> None:
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

    def _html_headings(self, content: str, places: _Lines) -> None:
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

    def _html(self, content: str, places: _Lines | _Cell, start: int) -> None:
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

"""markdown-it, made to note where in a block each link, image, tag and failed link stands."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

    BlockRule = Callable[[StateBlock, int, int, bool], bool]
    InlineRule = Callable[[StateInline, bool], bool]

_FOOTNOTE = re.compile(r"\[\^([^\]\s]+)\]")
_SPACED = re.compile(r"\(\s*([^()<>\n\"'{}]*[^()<>\s\"'{}] [^()<>\n\"'{}]*)\)")
_PATH = re.compile(r"\S.*(\.\w{1,5}(#\S*)?|/\S*)|#.*")
# Possessive, so that a long text that is no list of attributes is given up at once.
_ATTRIBUTES = re.compile(r"\{:?\s*((?:(?>[#.][\w:.-]+|[\w:-]++=(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s}\"']+)|=\w+|-)\s*)++)\}")
_ATTRIBUTE_ID = re.compile(r"(?:^|\s)(?:#([\w:.-]+)|id=[\"']?([^\s\"']+))")
_ATTRIBUTE_ALT = re.compile(r"(?:^|\s)alt=(?:\"([^\"]*)\"|'([^']*)'|(\S+))")
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


@cache
def parser_of(dialect: str) -> MarkdownIt:
    """The parser of a dialect. Tokens have what was noted in ``meta``: ``place``, ``column``, ``notes``."""
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

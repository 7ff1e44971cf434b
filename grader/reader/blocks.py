"""The blocks of a page: headings, paragraphs, lists, tables, code, quotes and what is folded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markdown_it.tree import SyntaxTreeNode
from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.rule import Rule
from rich.segment import Segment
from rich.style import Style
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from grader.reader.addresses import Addresses
from grader.reader.inline import Inline, clean, images, without_tags

HEADINGS = {"h1": Style(bold=True, color="magenta"), "h2": Style(bold=True, color="magenta")}
UNDERLINES = {"h1": "═", "h2": "─"}
DIM = Style(dim=True)
_SUMMARY = re.compile(r"<summary[^>]*>(.*?)</summary>", re.DOTALL | re.IGNORECASE)
_FOLDS = re.compile(r"<(/?)details\b", re.IGNORECASE)
_MARKER = re.compile(r"(\[[ xX]\]|[a-z]\)) ")
_ALIGN = re.compile(r"text-align:(left|center|right)")


@dataclass(frozen=True, slots=True)
class _Fold:
    """What stands between ``<details>`` and ``</details>``. ``text`` is what stands there as HTML."""

    summary: str
    text: str
    inner: Sequence[SyntaxTreeNode]


@dataclass(frozen=True, slots=True)
class _Barred:
    """Something with a bar at its left."""

    inner: RenderableType
    style: Style

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        inside = options.update(width=max(options.max_width - 2, 1))
        for line in console.render_lines(self.inner, inside, pad=False):
            yield Segment("│ ", self.style)
            yield from line
            yield Segment.line()


class Blocks:
    """Makes something that rich can print of block nodes. ``answers`` unfolds what is folded."""

    def __init__(self, addresses: Addresses, styled: bool, answers: bool) -> None:
        self.inline = Inline(addresses, styled)
        self.answers = answers

    def stack(self, nodes: Sequence[SyntaxTreeNode], tight: bool = False) -> Group:
        """Nodes one below the other, with a blank line between them unless they are ``tight``."""
        found: list[RenderableType] = []
        for node in _folded(nodes):
            block = self._fold(node) if isinstance(node, _Fold) else self._block(node)
            if block is not None:
                gap = 0 if tight or not found else 1 + (not isinstance(node, _Fold) and node.tag == "h2")
                found += [*[Text()] * gap, block]
        return Group(*found)

    def _block(self, node: SyntaxTreeNode) -> RenderableType | None:
        match node.type:
            case "heading":
                return self._heading(node)
            case "bullet_list" | "ordered_list":
                return self._list(node)
            case "table":
                return self._table(node)
            case "fence" | "code_block":
                return _code(node)
            case "blockquote":
                return _Barred(self.stack(node.children), DIM)
            case "hr":
                return Rule(style=DIM)
            case "html_block":
                return self._html(node.content)
            case "footnote_reference":
                return _row(f"[{node.meta['label']}]", self.stack(node.children))
        if node.children and node.type in ("paragraph", "inline"):
            return self._paragraph(node)
        return self.stack(node.children) if node.children else _folding(Text(clean(node.content)))

    def _paragraph(self, node: SyntaxTreeNode) -> RenderableType | None:
        inside = node.children[0].children if node.type == "paragraph" else node.children
        if len(inside) == 1 and inside[0].type == "image":
            return self._figure(str(inside[0].attrs.get("src", "")), clean(inside[0].content))
        text = self.inline.text(inside)
        return _folding(text) if text.plain.strip() else None

    def _figure(self, source: str, alt: str) -> RenderableType:
        """An image, which a terminal cannot show, as the text that stands for it, and a link to it."""
        head = Text("Figure", Style(bold=True, link=self.inline.addresses.link(source, "Figure")))
        return _Barred(_folding(Text.assemble(head, ": ", alt or "without a description")), DIM)

    def _html(self, content: str) -> RenderableType | None:
        """What a piece of HTML says: the images in it by their descriptions, and its text."""
        text = without_tags(content)
        found = [self._figure(*image) for image in images(content)] + ([_folding(Text(text))] if text else [])
        return Group(*found) if found else None

    def _heading(self, node: SyntaxTreeNode) -> RenderableType:
        text = _folding(self.inline.text(node.children, HEADINGS.get(node.tag, Style(bold=True))))
        line = UNDERLINES.get(node.tag, "") * cell_len(text.plain)
        return Group(text, Text(line, DIM, no_wrap=True, overflow="crop")) if line else text

    def _fold(self, fold: _Fold) -> RenderableType:
        if not self.answers:
            return Text(f"▸ {fold.summary}", Style(color="yellow"))
        inner = self.stack(fold.inner)
        shown = Group(_folding(Text(fold.text)), inner) if fold.text else inner
        return Group(Text(f"▾ {fold.summary}", Style(color="yellow")), _Barred(shown, Style(color="yellow")))

    def _list(self, node: SyntaxTreeNode) -> RenderableType:
        start = int(node.attrs.get("start", 1))
        tight = all(child.hidden for item in node.children for child in item.children if child.type == "paragraph")
        rows = Table.grid(padding=(0, 1, 0, 0))
        rows.add_column(justify="right", no_wrap=True)
        rows.add_column(overflow="fold")
        for number, item in enumerate(node.children, start):
            if number > start and not tight:
                rows.add_row()
            rows.add_row(*self._item(item, f"{number}." if node.type == "ordered_list" else "•", tight))
        return Padding(rows, (0, 0, 0, 2))

    def _item(self, item: SyntaxTreeNode, marker: str, tight: bool) -> tuple[Text, RenderableType]:
        """What an item begins with, a task with its box and a choice with its letter, and what stands beside it."""
        first = item.children[0] if item.children else None
        own = _MARKER.match(first.children[0].content) if first is not None and first.type == "paragraph" else None
        if first is None or own is None:
            return Text(marker, DIM), self.stack(item.children, tight)
        text = _folding(self.inline.text(first.children[0].children)[own.end() :])
        rest = self.stack(item.children[1:], tight).renderables
        gap = [] if tight or not rest else [Text()]
        return Text(own[1]), Group(text, *gap, *rest)

    def _table(self, node: SyntaxTreeNode) -> RenderableType:
        head, *body = (row.children for part in node.children for row in part.children)
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
        for cell in head:
            align = _ALIGN.search(str(cell.attrs.get("style", "")))
            table.add_column(self._cell(cell), justify=align[1] if align else "left", overflow="fold")  # type: ignore[arg-type]
        for row in body:
            table.add_row(*map(self._cell, row))
        return table

    def _cell(self, cell: SyntaxTreeNode) -> Text:
        return self.inline.text(cell.children[0].children if cell.children else [])


def _folding(text: Text) -> Text:
    text.overflow = "fold"
    return text


def _row(marker: str, inner: RenderableType) -> RenderableType:
    row = Table.grid(padding=(0, 1, 0, 0))
    row.add_row(Text(marker), inner)
    return row


def _code(node: SyntaxTreeNode) -> RenderableType:
    language = node.info.split()[0] if node.info.strip() else "text"
    code = clean(node.content.expandtabs(4)).rstrip("\n")
    syntax = Syntax(code, language, theme="ansi_dark", background_color="default", word_wrap=True)
    return Padding(syntax, (0, 0, 0, 4))


def _folded(nodes: Sequence[SyntaxTreeNode]) -> Iterator[SyntaxTreeNode | _Fold]:
    """Nodes, with all that stands between ``<details>`` and ``</details>`` taken together."""
    waiting = iter(nodes)
    for node in waiting:
        depth = _depth(node)
        if depth <= 0 and not (depth == 0 and _is_fold(node)):
            yield node
            continue
        inner = []
        while depth > 0 and (following := next(waiting, None)) is not None:
            depth += _depth(following)
            if depth > 0:
                inner.append(following)
        summary = _SUMMARY.search(node.content)
        text = without_tags(_SUMMARY.sub("", node.content))
        yield _Fold(without_tags(summary[1]) if summary else "Details", text, inner)


def _is_fold(node: SyntaxTreeNode) -> bool:
    return node.type == "html_block" and _FOLDS.search(node.content) is not None


def _depth(node: SyntaxTreeNode) -> int:
    """How many folds a node opens and does not close."""
    if node.type != "html_block":
        return 0
    return sum(-1 if found[1] else 1 for found in _FOLDS.finditer(node.content))

"""What stands in a line of a page: text with its emphasis, links and code."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import unescape

from markdown_it.tree import SyntaxTreeNode
from rich.style import Style
from rich.text import Text

from grader.course.html import read_html
from grader.reader.addresses import Addresses

PLAIN = Style()
LINK = Style(color="cyan", underline=True)
_STYLES: Mapping[str, Style] = {
    "strong": Style(bold=True),
    "em": Style(italic=True),
    "s": Style(strike=True),
    "code_inline": Style(color="green"),
}
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_TAG = re.compile(r"<!--.*?-->|</?[A-Za-z][^>]*>", re.DOTALL)
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def clean(text: str) -> str:
    """Text without the characters on which a terminal would act, or by which it would turn round what it shows.

    >>> clean("a\\x1b[2Jb")
    'a\\ufffd[2Jb'
    """
    return _CONTROL.sub("\ufffd", text)


def without_tags(html: str) -> str:
    """What a piece of HTML says, each line end and blank as one blank.

    >>> without_tags("<b>two</b> &amp;\\n three<!-- four -->")
    'two & three'
    """
    return " ".join(clean(unescape(_TAG.sub("", html))).split())


def images(html: str) -> list[tuple[str, str]]:
    """The images in a piece of HTML: where each is, and the text that stands for it."""
    return [(part.value, clean(part.text)) for part in read_html(html) if part.kind == "image" and part.text]


class Inline:
    """Makes text of inline nodes. ``styled`` as in ``Options``: without it code keeps its back-ticks."""

    def __init__(self, addresses: Addresses, styled: bool) -> None:
        self.addresses = addresses
        self.styled = styled

    def text(self, nodes: Sequence[SyntaxTreeNode], style: Style = PLAIN) -> Text:
        """The text of nodes side by side."""
        return Text().join(self._one(node, style) for node in nodes)

    def _one(self, node: SyntaxTreeNode, style: Style) -> Text:
        match node.type:
            case "softbreak":
                return Text(" ", style)
            case "hardbreak":
                return Text("\n", style)
            case "code_inline":
                code = clean(node.content)
                return Text(code if self.styled else f"`{code}`", style + _STYLES["code_inline"])
            case "link":
                return self._link(node, style)
            case "image":
                return Text(f"[figure: {clean(node.content)}]", style)
            case "html_inline":
                shown = "".join(f"[figure: {alt}]" for _, alt in images(node.content))
                return Text("\n" if _BREAK.match(node.content) else shown, style)
            case "footnote_ref":
                return Text(f"[{node.meta['label']}]", style)
        if node.children:
            return self.text(node.children, style + _STYLES.get(node.type, PLAIN))
        return Text(clean(node.content), style)

    def _link(self, node: SyntaxTreeNode, style: Style) -> Text:
        text = self.text(node.children, style)
        address = self.addresses.link(str(node.attrs.get("href", "")), text.plain)
        return self.text(node.children, style + LINK + Style(link=address))

"""Pieces of HTML that pages share."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from grader.report._learner_text import one_line


def inline(text: str) -> str:
    """Text of whoever, as one line."""
    return html.escape(one_line(text))


def prose(text: str) -> str:
    """Text of a suite as one line, with code between backticks.

    >>> prose("`x` < 3")
    '<code>x</code> &lt; 3'
    """
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", inline(text))


def document(title: str, parts: Iterable[str], more_style: str = "") -> str:
    """A page of these parts, complete in itself."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{inline(title)}</title>\n<style>\n{_style()}{more_style}</style>\n</head>\n<body>\n"
        + "".join(parts)
        + "</body>\n</html>\n"
    )


@cache
def _style() -> str:
    return Path(__file__).with_name("html.css").read_text("utf-8")


def table(style: str, name: str, heads: Iterable[tuple[str, str]], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are markup, which scrolls where it is too wide; a head is its class and its text."""
    head = "".join(
        f'<th scope="col"{css_class(kind)}>{text}</th>' if text else f"<td{css_class(kind)}></td>"
        for kind, text in heads
    )
    body = "".join(f"<tr>{''.join(row)}</tr>\n" for row in rows)
    return (
        f'<div class="wide" tabindex="0" role="group" aria-label="{name}"><table{css_class(style)}>'
        f"<caption>{name}</caption><thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table></div>\n"
    )


def css_class(name: str) -> str:
    return f' class="{name}"' if name else ""


def track(share: float, bound: float | None = None) -> str:
    """A bar; the number that it shows stands beside it."""
    limit = "" if bound is None else f'<b style="left:{100 * bound:.1f}%"></b>'
    return f'<span class="track" aria-hidden="true"><i style="width:{100 * share:.1f}%"></i>{limit}</span>'


def markdown(text: str) -> str:
    r"""A line of text that Markdown shows as it is, wherever in a paragraph or an item.

    >>> markdown("1. *bold* snake_case <b> www.example.org")
    '1\\. \\*bold\\* snake_case \\<b\\> www\\.example.org'
    """
    text = re.sub(r"([\\`*\[\]<>|~$@#]|_(?![^\W_])|&(?=#?\w+;))", r"\\\1", text)
    # GitHub makes links of bare addresses.
    text = re.sub(r"www(?=\.)|:(?=//)", r"\g<0>\\", text, flags=re.IGNORECASE)
    return re.sub(r"^(\d*)([+.)-])", r"\1\\\2", text)

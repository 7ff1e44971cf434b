"""Renders a page, or a piece of one: pure functions from what it says to text."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from markdown_it.tree import SyntaxTreeNode
from rich.cells import cell_len, set_cell_size
from rich.console import Console

from grader.course.markdown import read_page
from grader.course.page import Page
from grader.reader.addresses import Addresses
from grader.reader.blocks import Blocks

Links = Literal["plain", "listed", "live"]
NARROWEST, WIDEST, TEXT_WIDTH = 60, 100, 28


@dataclass(frozen=True, slots=True)
class Options:
    """How to render. ``styled`` is for a terminal, which shows bold text; ``colour`` if it may have colours, too.

    ``links`` that are live can be followed in the terminal; listed ones stand at the end. ``root`` is the folder of the
    course. ``answers`` unfolds what is folded.
    """

    root: Path
    width: int = 80
    styled: bool = False
    colour: bool = False
    links: Links = "listed"
    answers: bool = False


def render(page: Page, options: Options) -> str:
    """Render a page for a reader, 60 to 100 columns wide."""
    console = _console(options)
    addresses = Addresses(page.path, options.root, options.links == "live")
    shown = Blocks(addresses, options.styled, options.answers).stack(SyntaxTreeNode(page.tokens).children)
    with console.capture() as capture:
        console.print(shown)
    lines = [line.rstrip() for line in capture.get().rstrip("\n").split("\n")]
    return "\n".join([*lines, *_listed(addresses, console.width)] if options.links == "listed" else lines) + "\n"


def fragment(page: Page, markdown: str) -> Page:
    """A piece of a page, such as a question, as a page of its own, with the definitions that its links need."""
    definitions = "\n".join(f"[{each.label}]: <{each.target}>" for each in page.definitions)
    return read_page(page.path, f"{markdown}\n\n{definitions}\n".encode())


def _console(options: Options) -> Console:
    return Console(
        file=io.StringIO(),
        width=min(max(NARROWEST, options.width), WIDEST),
        force_terminal=options.styled,
        color_system="standard" if options.styled else None,
        no_color=not options.colour,
        highlight=False,
        legacy_windows=False,
        _environ={},
    )


def _listed(addresses: Addresses, width: int) -> Iterator[str]:
    """The links of a page, each with its address, which is never broken, so that it can be copied."""
    links = addresses.listed()
    if links:
        yield from ("", "", "Links", "─" * len("Links"), "")
    for text, address in links:
        fits = cell_len(text) <= TEXT_WIDTH and TEXT_WIDTH + 2 + cell_len(address) <= width
        yield from [f"{set_cell_size(text, TEXT_WIDTH)}  {address}"] if fits else [text, f"  {address}"]

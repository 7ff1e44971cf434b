"""Lines for people: wrapped, and with colour where it is wanted."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

NARROWEST = 60


def new_console(width: int, colour: bool) -> Console:
    """A console that is as wide as asked for, if that is not too narrow, and that prints nowhere."""
    return Console(
        file=io.StringIO(),
        width=max(NARROWEST, width),
        force_terminal=colour,
        color_system="standard" if colour else None,
        no_color=not colour,
        highlight=False,
        legacy_windows=False,
    )


def printed(lines: Iterable[Text], console: Console) -> str:
    """What ``console`` makes of ``lines``."""
    with console.capture() as capture:
        for line in lines:
            line.rstrip()
            console.print(line, soft_wrap=True)
    return capture.get()


def hanging(head: Text, text: Text, console: Console) -> Iterator[Text]:
    """Wrap ``text`` after ``head``, its further lines indented as far as its first."""
    indent = cell_len(head.plain)
    for line in text.wrap(console, console.width - indent, overflow="fold"):
        yield Text.assemble(head, line)
        head = Text(" " * indent)

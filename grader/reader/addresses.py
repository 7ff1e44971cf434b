"""Where the links of a page lead, seen from a terminal."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")


class Addresses:
    """The addresses of a page's links. ``live`` if the terminal can follow them. Remembers what it was asked for."""

    def __init__(self, page: str, root: Path, live: bool) -> None:
        self.folder = PurePosixPath(page).parent
        self.root = root
        self.live = live
        self.seen: dict[str, str] = {}

    def link(self, target: str, text: str) -> str | None:
        """What the terminal opens for a link; None if it cannot, or the link stays in the page."""
        if not target or target.startswith("#"):
            return None
        if _SCHEME.match(target):
            self.seen.setdefault(target, text)
            return target if self.live else None
        path, _, anchor = target.partition("#")
        inside = posixpath.normpath(self.folder / unquote(path))
        shown = f"{inside}#{anchor}" if anchor else inside
        self.seen.setdefault(shown, text)
        return (self.root / inside).absolute().as_uri() + (f"#{anchor}" if anchor else "") if self.live else None

    def listed(self) -> list[tuple[str, str]]:
        """Each address once, with the text that first led there; none that says the same as its text."""
        return [(text, address) for address, text in self.seen.items() if text != address]

"""What the terminal wants."""

from __future__ import annotations

import os
import sys

# What the terminals that can follow links leave in the environment: none of them can be asked.
_VARIABLES = ("FORCE_HYPERLINK", "KONSOLE_VERSION", "VTE_VERSION", "WT_SESSION")
_PROGRAMS = frozenset(("ghostty", "iTerm.app", "vscode", "WarpTerminal", "WezTerm", "zed"))
_TERMS = ("alacritty", "contour", "foot", "wezterm", "xterm-ghostty", "xterm-kitty")


def is_styled() -> bool:
    """Whether what is printed may be bold or underlined."""
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def follows_links() -> bool:
    """Whether links in what is printed can be followed (OSC 8)."""
    return is_styled() and (
        any(map(os.environ.get, _VARIABLES))
        or os.environ.get("TERM_PROGRAM") in _PROGRAMS
        or os.environ.get("TERM", "").startswith(_TERMS)
    )


def wants_colour() -> bool:
    """Whether what is printed may have colours."""
    return is_styled() and not os.environ.get("NO_COLOR")

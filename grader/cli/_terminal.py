"""What the terminal wants."""

from __future__ import annotations

import os
import sys


def wants_colour() -> bool:
    """Whether what is printed may have colours."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"

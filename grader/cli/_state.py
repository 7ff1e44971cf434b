"""What is remembered between two runs: a few small files in the user's own state folder."""

from __future__ import annotations

import os
import sys
from pathlib import Path

NAME = "sharded-training"


def state_file(name: str) -> Path:
    """Where to keep the file ``name``: under ``$XDG_STATE_HOME``, or where the platform has it."""
    named = os.environ.get("XDG_STATE_HOME")
    if named:
        return Path(named) / NAME / name
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", "~/AppData/Local")).expanduser() / NAME / name
    if sys.platform == "darwin":
        return Path("~/Library/Application Support").expanduser() / NAME / name
    return Path("~/.local/state").expanduser() / NAME / name

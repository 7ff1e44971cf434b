"""What is remembered between two runs: a few small files in the user's own folders."""

from __future__ import annotations

import os
import sys
from pathlib import Path

NAME = "sharded-training"


def state_file(name: str) -> Path:
    """Where to keep the file ``name``: under ``$XDG_STATE_HOME``, or where the platform has it."""
    return _folder("XDG_STATE_HOME", "~/.local/state", "~/Library/Application Support") / name


def data_file(name: str) -> Path:
    """Where to keep the file ``name``, which is the user's: under ``$XDG_DATA_HOME``, or where the platform has it."""
    return _folder("XDG_DATA_HOME", "~/.local/share", "~/Library/Application Support") / name


def cache_file(name: str) -> Path:
    """Where to keep the file ``name``, which may vanish: under ``$XDG_CACHE_HOME``, or where the platform has it."""
    return _folder("XDG_CACHE_HOME", "~/.cache", "~/Library/Caches") / name


def _folder(variable: str, usual: str, on_darwin: str) -> Path:
    named = os.environ.get(variable)
    if named:
        return Path(named) / NAME
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", "~/AppData/Local")).expanduser() / NAME
    return Path(on_darwin if sys.platform == "darwin" else usual).expanduser() / NAME

"""What to say of a name that does not exist."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

import click


def unknown(message: str, name: str, known: Iterable[str], ctx: click.Context | None = None) -> click.UsageError:
    """The usage error for ``name``, with the nearest name that exists, or with all of them.

    >>> print(unknown("no command is called 'grad'", "grad", ["grade", "hint"]))
    no command is called 'grad'. Did you mean grade?
    """
    names = list(known)
    near = difflib.get_close_matches(name, names, 1)
    advice = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(names) or 'none'}."
    return click.UsageError(f"{message}. {advice}", ctx)

"""Options that several commands take."""

from __future__ import annotations

import click

FENCES = click.option(
    "--fences",
    type=click.Choice(["base", "strict"]),
    default="base",
    show_default=True,
    help="How far to keep a submission apart. strict: namespaces and a control group, too.",
)

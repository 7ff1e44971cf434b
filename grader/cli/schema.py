"""Print the JSON Schema of a lesson, a term, an exercise or the course, for an editor."""

from __future__ import annotations

import click

from grader.course.source import SCHEMAS


@click.command("schema")
@click.argument("kind", metavar="KIND", type=click.Choice(sorted(file.stem for file in SCHEMAS.glob("*.json"))))
def command(kind: str) -> None:
    """Print the JSON Schema of KIND, as `course check` holds files to it: course, exercise, lesson or term."""
    click.echo((SCHEMAS / f"{kind}.json").read_text("utf-8"), nl=False)

"""Say what the content is checked for, and why."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Mapping
from typing import Any

import click

from grader.cli._names import unknown
from grader.rules import Rule, rules
from grader.rules.selection import group

WIDTH = 80


@click.command("rules")
@click.argument("id", required=False)
@click.option("--format", type=click.Choice(["json", "text"]), default="text", show_default=True, help="How to print.")
def command(id: str | None, format: str) -> None:
    """List the rules of `course check`, or explain the rule ID: why it is, what breaks it, and what to do."""
    known = rules()
    if id is not None and id not in known:
        raise unknown(f"no rule is called {id!r}", id, known)
    if format == "json":
        click.echo(json.dumps([_plain(rule) for rule in known.values() if id in (None, rule.id)], indent=2))
    elif id is None:
        click.echo(_list(known))
    else:
        click.echo(_explain(known[id]))


def _plain(rule: Rule[Any]) -> dict[str, str | None]:
    names = ("id", "severity", "title", "why", "file", "bad", "good", "fix")
    return {"group": group(rule), **{name: getattr(rule, name) for name in names}}


def _list(known: Mapping[str, Rule[Any]]) -> str:
    """The rules by their groups."""
    width = max(map(len, known))
    groups: dict[str, list[str]] = {}
    for rule in known.values():
        line = f"  {rule.id.ljust(width)}  {rule.severity.ljust(7)}  {rule.title}"
        groups.setdefault(group(rule) or "", []).append(line)
    blocks = ["\n".join([*([name] if name else []), *lines]) for name, lines in sorted(groups.items())]
    return "\n\n".join([*blocks, "More   course rules ID"])


def _explain(rule: Rule[Any]) -> str:
    parts = [
        f"{rule.id} ({rule.severity}): {rule.title}",
        _filled(rule.why),
        f"Wrong, in {rule.file}",
        _indented(rule.bad.splitlines()),
        "Right",
        _indented(rule.good.splitlines()),
        _filled(rule.fix),
    ]
    return "\n\n".join(parts)


def _filled(text: str) -> str:
    return textwrap.fill(text, WIDTH, break_on_hyphens=False, break_long_words=False)


def _indented(lines: Iterable[str]) -> str:
    return "\n".join(f"    {line}".rstrip() for line in lines)

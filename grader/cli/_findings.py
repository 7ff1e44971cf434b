"""Findings on their way to a reader: the lines that they are about, and where the report goes."""

from __future__ import annotations

import os
import shutil
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import click

from grader.cli._files import write_report
from grader.cli._terminal import wants_colour
from grader.cli._tree import Tree
from grader.course.page import Text
from grader.report.findings import Options, render
from grader.report.findings._words import summary
from grader.results import Check, Finding


def quoted(findings: Iterable[Finding], root: Path) -> dict[tuple[str, int], str]:
    """The lines that findings begin in, of files that can be read."""
    numbers: dict[str, set[int]] = defaultdict(set)
    for finding in findings:
        if finding.line is not None:
            numbers[finding.path].add(finding.line)
    lines: dict[tuple[str, int], str] = {}
    for path, wanted in numbers.items():
        text = Text((root / path).read_bytes().decode("utf-8-sig", "replace"))
        lines |= {(path, number): text.line(number) for number in wanted if number <= len(text.starts)}
    return lines


def show(found: Check, tree: Tree, options: Options, format: str, output: Path | None) -> None:
    """Print the report of what was found in a tree, or write it to ``output`` and say so."""
    options = replace(
        options,
        here=min(Path(os.path.relpath(tree.root)).as_posix(), tree.root.as_posix(), key=len),
        repository=tree.root.relative_to(tree.repository).as_posix(),
    )
    if output is None:
        width = shutil.get_terminal_size((options.width, 0)).columns
        options = replace(options, width=width, colour=wants_colour())
        click.echo(render(found, format, options), nl=False, color=True)
    else:
        write_report(output, render(found, format, options))
        click.echo(f"{summary(found)} The report is in {output}.")

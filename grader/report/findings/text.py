"""Findings for people: by file, each with its line and a mark under what is meant."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import accumulate, groupby

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from grader.report._console import hanging, new_console, printed
from grader.report._learner_text import escape, one_line
from grader.report.findings import Options
from grader.report.findings._words import counted, fixable, located, summary
from grader.results import Check, Finding

WIDEST = 120
TAB = 4
STYLES = {"error": "bold red", "warning": "bold yellow"}

_DEFAULT = Options()


def render(check: Check, options: Options = _DEFAULT) -> str:
    """Render ``check`` for a reader, at most 120 columns wide."""
    console = new_console(min(options.width, WIDEST), options.colour)
    return printed(_lines(check, options, console), console)


def excerpt(line: str, start: int, end: int, room: int) -> tuple[str, str]:
    """A line as a terminal shows it, cut to ``room`` columns, and the marks under the characters from start to end.

    >>> excerpt("\\tsee 図 here", 5, 6, 40)
    ('    see 図 here', '        ^^')
    """
    start = min(start, len(line))
    # A line may be of any length, and have any number of findings.
    before, after = max(0, start - 2 * room), max(0, len(line) - start - 2 * room)
    shown = _shown(line[before : len(line) - after])
    start, end = start - before, end - before
    edges = [0, *accumulate(map(cell_len, shown))]
    left, right = 0, len(shown)
    if before or after or edges[-1] > room:
        left = bisect_left(edges, edges[start] - room // 3) if edges[start] > room * 2 // 3 else 0
        right = bisect_right(edges, edges[left] + room - 2) - 1
    cut = before + left > 0
    text = "…" * cut + "".join(shown[left:right]) + "…" * (after + len(shown) > right)
    marked = edges[max(start, min(end, right))] - edges[start]
    return text, " " * (cut + edges[start] - edges[left]) + "^" * max(marked, 1)


def _shown(line: str) -> list[str]:
    """Each character as it is shown: tabs as blanks, and what a terminal would act on as Python writes it."""
    shown: list[str] = []
    width = 0
    for character in line:
        shown.append(" " * (TAB - width % TAB) if character == "\t" else escape(character))
        width += cell_len(shown[-1])
    return shown


def _lines(check: Check, options: Options, console: Console) -> Iterator[Text]:
    for path, findings in groupby(check.findings, lambda finding: finding.path):
        yield Text(one_line(located(options.here, path)), "bold")
        for finding in findings:
            yield from _finding(finding, check, options, console)
        yield Text()
    for note in check.notes:
        yield from hanging(Text("note: ", "cyan"), Text(one_line(note)), console)
    yield from hanging(Text(), Text(summary(check), "" if check.findings else "green"), console)
    count = fixable(check)
    if count:
        yield Text(f"{counted(count, 'finding')} can be mended by `course check --fix`.")


def _finding(finding: Finding, check: Check, options: Options, console: Console) -> Iterator[Text]:
    place = "" if finding.line is None else f"{finding.line}:{finding.column or 1}  "
    head = Text.assemble("  ", place, (finding.severity, STYLES[finding.severity]), "  ")
    said = Text.assemble(one_line(finding.message), (f"  [{finding.rule}]", "dim"))
    yield from hanging(head, said, console)
    gutter = len(str(finding.line or "")) + 2
    line = None if finding.line is None else check.lines.get((finding.path, finding.line))
    if line is not None:
        yield from _source(finding, line, console.width - gutter - 3)
    if finding.fix is not None:
        done = " (`--fix` does it)" if finding.edits else ""
        for number, part in enumerate((finding.fix + done).split("\n")):
            lead = " " * gutter + (" = " if number == 0 else "   ")
            yield from hanging(Text(lead, "dim"), Text(one_line(part)), console)
    if options.verbose and finding.rule in options.rules:
        yield from hanging(Text(" " * gutter + " = ", "dim"), Text(one_line(options.rules[finding.rule].why)), console)


def _source(finding: Finding, line: str, room: int) -> Iterator[Text]:
    column, number = finding.column or 1, str(finding.line)
    end = finding.end_column if finding.end_line == finding.line and finding.end_column else len(line) + 1
    text, marks = excerpt(line, column - 1, end - 1, room)
    yield Text.assemble((f"  {number} | ", "dim"), text)
    if finding.column is not None:
        more = f" to line {finding.end_line}" if finding.end_line and finding.end_line > (finding.line or 0) else ""
        yield Text.assemble((" " * (len(number) + 2) + " | ", "dim"), (marks, STYLES[finding.severity]), more)

"""Findings as commands of GitHub's workflows, which make annotations of them: the worst first, for few are shown."""

from __future__ import annotations

from grader.report._github import command
from grader.report.findings import Options
from grader.report.findings._words import located, summary
from grader.results import Check, Finding

_DEFAULT = Options()


def render(check: Check, options: Options = _DEFAULT) -> str:
    """Render ``check`` with a command a line, and a summary at the end."""
    worst_first = sorted(check.findings, key=lambda finding: finding.severity != "error")
    lines = [_annotation(finding, options) for finding in worst_first]
    lines += [command("notice", {}, note) for note in check.notes]
    return "\n".join([*lines, summary(check), ""])


def _annotation(finding: Finding, options: Options) -> str:
    # Columns mean something to GitHub only within one line.
    in_a_line = finding.line == finding.end_line
    properties = {
        "file": located(options.repository, finding.path),
        "line": finding.line,
        "endLine": finding.end_line,
        "col": finding.column if in_a_line else None,
        "endColumn": finding.end_column if in_a_line else None,
        "title": finding.rule,
    }
    message = finding.message if finding.fix is None else f"{finding.message}\n{finding.fix}"
    return command(finding.severity, properties, message)

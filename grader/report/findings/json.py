"""Findings for machines, as ``../schemas/findings.json`` describes them. Paths begin at the course's folder."""

from __future__ import annotations

from dataclasses import asdict

from grader.report._json import document
from grader.report.findings import Options
from grader.report.findings._words import fixable
from grader.results import FORMAT, Check

_DEFAULT = Options()


def render(check: Check, options: Options = _DEFAULT) -> str:
    """Render ``check`` with a finding a line."""
    return document(
        {
            "format": FORMAT,
            "files": check.files,
            "errors": check.count("error"),
            "warnings": check.count("warning"),
            "fixable": fixable(check),
            "notes": list(check.notes),
            "findings": [asdict(finding) for finding in check.findings],
        }
    )

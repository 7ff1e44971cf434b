"""Findings as SARIF 2.1.0, the form in which code scanning takes them. Addresses begin at the repository's root."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from grader.report.findings import Explained, Options
from grader.report.findings._words import located
from grader.results import Check, Finding

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_DEFAULT = Options()


def render(check: Check, options: Options = _DEFAULT) -> str:
    """Render ``check`` as a log with one run."""
    ids = sorted({finding.rule for finding in check.findings} | set(options.rules))
    run = {
        "tool": {"driver": {"name": "course check", "rules": [_rule(id, options) for id in ids]}},
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": [{"level": "note", "message": {"text": note}} for note in check.notes],
            }
        ],
        "results": [_result(finding, ids.index(finding.rule), options) for finding in check.findings],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(id: str, options: Options) -> dict[str, Any]:
    if id not in options.rules:
        return {"id": id}
    rule = options.rules[id]
    where = {} if options.docs is None else {"helpUri": options.docs}
    return {
        "id": id,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.why},
        "help": {"text": _help(rule, "", ""), "markdown": _help(rule, "````\n", "\n````")},
        "defaultConfiguration": {"level": rule.severity},
        **where,
    }


def _help(rule: Explained, before: str, after: str) -> str:
    bad, good = (f"{before}{example}{after}" for example in (rule.bad, rule.good))
    return f"{rule.why}\n\nWrong:\n\n{bad}\n\nRight:\n\n{good}\n\n{rule.fix}"


def _result(finding: Finding, index: int, options: Options) -> dict[str, Any]:
    message = finding.message if finding.fix is None else f"{finding.message}: {finding.fix}"
    place: dict[str, Any] = {"artifactLocation": {"uri": quote(located(options.repository, finding.path))}}
    if finding.line is not None:
        region = {
            "startLine": finding.line,
            "startColumn": finding.column,
            "endLine": finding.end_line,
            "endColumn": finding.end_column,
        }
        place["region"] = {key: value for key, value in region.items() if value is not None}
    return {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": finding.severity,
        "message": {"text": message},
        "locations": [{"physicalLocation": place}],
    }

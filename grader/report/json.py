"""The report for machines, as ``schemas/report.json`` describes it."""

from __future__ import annotations

import json
import re
from typing import Any

from grader.report import Options
from grader.report._learner_text import shorten, unsafe
from grader.results import Grade, to_plain

_DEFAULT = Options()


def render(grade: Grade, options: Options = _DEFAULT) -> str:
    """Render ``grade`` with a function and a criterion a line, and its texts cut where they are very long.

    Without a score, points earned are null.
    """
    plain = _cut(to_plain(grade))
    if grade.faulty:
        plain["earned"] = None
        for function in plain["functions"]:
            function["earned"] = None
    entries = ",\n".join(f"  {_dump(key)}: {_value(value)}" for key, value in plain.items())
    return f"{{\n{entries}\n}}\n"


def _cut(value: Any) -> Any:
    """Plain data with each of its texts cut, whoever wrote it."""
    if isinstance(value, dict):
        return {key: _cut(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_cut(each) for each in value]
    return shorten(value) if isinstance(value, str) else value


def _value(value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(f"    {_dump(item)}" for item in value) + "\n  ]"
    return _dump(value)


def _dump(value: Any) -> str:
    # Readable UTF-8, except for what cannot be encoded or would act on a terminal.
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return re.sub(r"[^\x20-\x7e]", _escape, text)


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    return json.dumps(character)[1:-1] if unsafe(character) else character

"""The report for machines, as ``schemas/report.json`` describes it."""

from __future__ import annotations

import json
import re
from typing import Any

from grader.report import Options
from grader.report._learner_text import unsafe
from grader.results import Grade, to_plain

_DEFAULT = Options()


def render(grade: Grade, options: Options = _DEFAULT) -> str:
    """Render ``grade`` with a function and a criterion a line. Without a score, points earned are null."""
    plain = to_plain(grade)
    if grade.faulty:
        plain["earned"] = None
        for function in plain["functions"]:
            function["earned"] = None
    entries = ",\n".join(f"  {_dump(key)}: {_value(value)}" for key, value in plain.items())
    return f"{{\n{entries}\n}}\n"


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

"""JSON that people can read and compare, and that no terminal acts on."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from grader.report._learner_text import unsafe


def document(plain: Mapping[str, Any]) -> str:
    """Plain data as a document of JSON, with a line for each key, and for each entry of a list of objects."""
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

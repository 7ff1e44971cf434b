"""``SECURITY.md`` names, for each promise, tests that are there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_what_holds_a_promise_is_there() -> None:
    promises = [line for line in (ROOT / "SECURITY.md").read_text("utf-8").splitlines() if "`tests/" in line]
    named = {name for line in promises for name in re.findall(r"`(tests/[^`]+)`", line)}
    assert len(promises) > 10
    missing = [name for name in sorted(named) if not (ROOT / name).exists()]
    assert missing == []
    assert all(name.endswith("/") == (ROOT / name).is_dir() for name in named)

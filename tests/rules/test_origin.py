"""Where a copy of the course was cloned from, in the ways that git writes it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.rules.checking import SMALL, findings


@pytest.mark.parametrize(
    ("config", "found"),
    [
        ('[remote "origin"]\n\turl = https://example.org/calendar\n', None),
        ('[remote "origin"]\n\turl = https://example.org/Calendar.git/\n', None),
        ('[remote "origin"]\n\turl = https://token@example.org:443/calendar\n', None),
        ('[remote "origin"]\n\tfetch = +refs/heads/*\n\turl = ssh://git@example.org/calendar.git\n', None),
        ('[remote "origin"]\n\turl = git@example.org:somebody/calendar.git\n', "git@example.org:somebody/calendar.git"),
        ('[remote "origin"]\nurl=https://example.com/calendar\n', "https://example.com/calendar"),
        ('[remote "upstream"]\n\turl = https://example.com/calendar\n', None),
        ('[remote "origin"]\n[remote "upstream"]\n\turl = https://example.com/calendar\n', None),
        ('[remote "origin"]\n\turl = /srv/git/calendar.git\n', None),
        ('[remote "origin"]\n\turl = ../calendar\n', None),
        ("", None),
    ],
)
def test_origin(config: str, found: str | None, tmp_path: Path) -> None:
    root = tmp_path / "course"
    shutil.copytree(SMALL, root)
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text(config, "utf-8")
    expected = [] if found is None else [("course-origin", "warning", f"this copy comes from {found}")]
    assert [(each.rule, each.severity, each.message) for each in findings(root)] == expected
